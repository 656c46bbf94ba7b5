# A module omits code that only another module needs: sources of native/src/stubs replace the engine's sources with
# the same names. `build` replaces `core` where its missing parts are needed, but has no form without vectors.
set(stubs_of_build dna_sections)
set(stubs_of_core dna_sections)
set(stubs_of_dna bpe_words dropped_text expansion general kernel_dna marked_pieces normalizer_table program_section punctuation
  raw_words trie_models word_offsets word_sections)
if(CRAYON_WASM_SIMD)
  list(APPEND stubs_of_core added_dense bpe_words dropped_text general hidden_section hidden_tokens
    kernel_most_pretokenizers legacy_dat marked_pieces merge_by_priority normalizer_table normalizing pattern_check pattern_tables
    priorities_section program_section punctuation raw_words symbols trie_models view_features word_offsets word_sections)
endif()

# A word for the modules that have a stub for a source, in `out`: empty if none has. The same stubs stand for other sources, too;
# and programs of normalizers are checked only behind one of them, and by the compiler.
function(modules_without source out)
  get_filename_component(name "${source}" NAME_WE)
  set(same_as_rewrites normalizing)
  set(same_as_table normalizer_table)
  if(DEFINED same_as_${name})
    set(name ${same_as_${name}})
  endif()
  if(source MATCHES "/general/" OR name MATCHES "^general_(path|section)$")
    set(name general)
  endif()
  set(word "")
  foreach(module build core dna)
    if(name IN_LIST stubs_of_${module} AND NOT source MATCHES "/compile/")
      string(APPEND word "_${module}")
    endif()
  endforeach()
  if(name MATCHES "^(normalize_text|program_check)$")
    set(word "_checks")
  endif()
  set(${out} "${word}" PARENT_SCOPE)
endfunction()
