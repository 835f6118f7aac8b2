# SPDX-License-Identifier: GPL-3.0-or-later
# stratoplan_embed(TARGET NAME file…): compiles files into TARGET as
#   std::span<const stratoplan::EmbeddedFile> stratoplan::embedded::NAME();
# in the order given. Keeps the programs runnable from anywhere, without a data directory.
include_guard()
set(STRATOPLAN_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_file.cmake)

function(stratoplan_embed target name)
  set(index_file ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp)
  set(files)
  foreach(file IN LISTS ARGN)
    get_filename_component(absolute ${file} ABSOLUTE)
    list(APPEND files ${absolute})
  endforeach()
  string(REPLACE ";" "|" packed "${files}")
  add_custom_command(
    OUTPUT ${index_file}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} "-DFILES=${packed}" -DOUTPUT=${index_file} -P ${STRATOPLAN_EMBED_SCRIPT}
    DEPENDS ${files} ${STRATOPLAN_EMBED_SCRIPT}
    VERBATIM)
  target_sources(${target} PRIVATE ${index_file})
  set_source_files_properties(${index_file} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
