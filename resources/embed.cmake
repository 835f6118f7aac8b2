# SPDX-License-Identifier: GPL-3.0-or-later
# stratoplan_embed(TARGET NAME file…): compiles files into TARGET as
#   std::span<const stratoplan::EmbeddedFile> stratoplan::embedded::NAME();
# in the order given. Keeps the programs runnable from anywhere, without a data directory.
# May be called from any directory: an object library here carries the generated source, because a custom command
# only serves targets of its own directory.
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
  set(library embedded-${name})
  add_library(${library} OBJECT ${index_file})
  target_link_libraries(${library} PRIVATE stratoplan-flags)
  # Symbols defined by assembler text do not survive link-time optimisation.
  set_target_properties(${library} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${library}>)
endfunction()
