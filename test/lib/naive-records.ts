// FASTA and FASTQ, line by line, for well-formed files: the oracle for the readers.

export interface NaiveRecord {
  name: string;
  description: string;
  sequence: string;
  quality?: string;
  index: number;
  byteOffset: number;
}

/** Lines of Latin-1 text without their ends, and the position of each. */
function linesOf(text: string): { line: string; at: number }[] {
  let at = 0;
  return text.split('\n').map((line) => {
    const begin = at;
    at += line.length + 1;
    return { line: line.replace(/\r$/, ''), at: begin };
  });
}

function begun(header: string, index: number, byteOffset: number): NaiveRecord {
  const [, name = '', description = ''] = /^[ \t]*([^ \t]*)[ \t]*([^]*)$/.exec(Buffer.from(header, 'latin1').toString()) ?? [];
  return { name, description, sequence: '', index, byteOffset };
}

export function naiveFasta(bytes: Uint8Array): NaiveRecord[] {
  const records: NaiveRecord[] = [];
  for (const { line, at } of linesOf(Buffer.from(bytes).toString('latin1'))) {
    if (line.startsWith('>')) records.push(begun(line.slice(1), records.length, at));
    else if (line !== '') records.at(-1)!.sequence += line;
  }
  return records;
}

export function naiveFastq(bytes: Uint8Array): NaiveRecord[] {
  const records: NaiveRecord[] = [];
  const lines = linesOf(Buffer.from(bytes).toString('latin1'));
  for (let i = 0; i < lines.length; ) {
    if (lines[i]!.line === '') {
      i++;
      continue;
    }
    const record = begun(lines[i]!.line.slice(1), records.length, lines[i]!.at);
    for (i++; !lines[i]!.line.startsWith('+'); i++) record.sequence += lines[i]!.line;
    record.quality = '';
    for (i++; record.quality.length < record.sequence.length; i++) record.quality += lines[i]!.line;
    records.push(record);
  }
  return records;
}
