/* Records: the sequences in FASTA and FASTQ files. */
#pragma once

#include "crayon/api/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a file that comes in parts, which may end anywhere, into buffers of the caller of any size.

       FASTA    >name description        then lines of a sequence
       FASTQ    @name description        then the sequence, a line with '+', and as many qualities as the sequence has bytes

   Lines end with LF or CR LF; the last one may have no end. A sequence has letters of either case, '*', '-' and '.', which are
   not changed. Qualities are bytes from '!' to '~', '@' and '+' among them. The line with '+' may repeat the header. Headers
   have any bytes but NUL and CR, 16 MiB at most. A sequence may have several lines, or none: an empty record. In FASTQ,
   qualities may have several lines if the sequence has. Empty lines are ignored before records and in sequences, and between
   lines of qualities. Everything else is refused: text before the first header, lines of comments (';'), blanks. */

typedef struct crayon_records crayon_records;

enum { CRAYON_FASTA = 0, CRAYON_FASTQ = 1 };
/* Added to a format: the sequences of all parts follow one another from the beginning of the output, so that they form the rows
   of a batch. Headers fill the output from its end, the last one first. Qualities are checked, but not written. */
enum { CRAYON_SEQUENCES_APART = 16 };
enum { CRAYON_RECORD_BEGINS = 1, CRAYON_RECORD_ENDS = 2 };

/* The part of a record that a call has read: bytes of its header (without the first byte), its sequence and its qualities,
   which follow one another in the output; then comes the next part. */
typedef struct crayon_record_part {
    uint32_t flags; /* whether it is the first one of the record, and whether it is the last */
    uint32_t header_length;
    uint32_t sequence_length;
    uint32_t quality_length;
    uint32_t position; /* of the record's first byte in the file */
    uint32_t position_high;
} crayon_record_part;

/* Why a record is refused. */
enum {
    CRAYON_RECORD_NO_HEADER = 1,     /* a record begins with another byte than '>' or '@' */
    CRAYON_RECORD_HEADER_BYTE = 2,   /* NUL in a header */
    CRAYON_RECORD_HEADER_LONG = 3,   /* a header of more than 16 MiB; the position is the record's */
    CRAYON_RECORD_LINE_END = 4,      /* CR without LF */
    CRAYON_RECORD_SEQUENCE_BYTE = 5, /* a byte that no sequence has */
    CRAYON_RECORD_NO_PLUS = 6,       /* a line after the sequence without '+' */
    CRAYON_RECORD_PLUS_HEADER = 7,   /* the header after '+' differs from the record's */
    CRAYON_RECORD_QUALITY_BYTE = 8,  /* a byte that is not a quality */
    CRAYON_RECORD_QUALITY_SHORT = 9, /* fewer qualities than bytes of the sequence */
    CRAYON_RECORD_QUALITY_LONG = 10, /* more */
    CRAYON_RECORD_TRUNCATED = 11     /* the file ends within the record */
};

typedef struct crayon_records_progress {
    uint32_t consumed; /* bytes of the input; the next call begins with the others */
    uint32_t produced; /* bytes of the output */
    uint32_t reason;   /* after INVALID_RECORD */
    uint32_t record;   /* the number of the current or next record, from 0 */
    uint32_t record_high;
} crayon_records_progress;

/* `kernel`: as in crayon_tokenizer_create. A reader is used by one thread at a time. */
CRAYON_API crayon_status crayon_records_create(uint32_t format, CRAYON_READS(kernel_length) const char* kernel,
                                               uint32_t kernel_length, crayon_records** out, crayon_result* result);
CRAYON_API void crayon_records_release(crayon_records* records);
/* `last`: the file ends with this input. `count`: parts. `more` = 1: the output is full, and another call, with the rest of the
   input, continues. An output with capacity for the whole input and (length / 2 + 2) parts is never full. The output after
   `produced` is unspecified. INVALID_RECORD with the byte of the file in `position`, in this call and every later one; the
   first of these calls also outputs the parts before the error. */
CRAYON_API crayon_status crayon_records_read(crayon_records* records, CRAYON_READS(length) const uint8_t* input, uint32_t length,
                                             uint32_t last, CRAYON_WRITES(capacity) uint8_t* bytes, uint32_t capacity,
                                             CRAYON_WRITES(part_capacity) crayon_record_part* parts, uint32_t part_capacity,
                                             CRAYON_WRITES(1) crayon_records_progress* progress, crayon_result* result);

#ifdef __cplusplus
}
#endif
