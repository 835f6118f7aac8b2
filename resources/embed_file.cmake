# SPDX-License-Identifier: GPL-3.0-or-later
# Writes OUTPUT: a C++ file that embeds FILES ('|' between them) through the assembler's .incbin.
# The hash of each file stands in the generated text: neither a compiler cache nor the build tool sees what
# .incbin reads, so a changed file must change the source.
string(REPLACE "|" ";" files "${FILES}")
set(data "// Generated from resources/ by embed_file.cmake.\n")
string(APPEND data "#include \"core/catalog/embedded.h\"\n#include <array>\n#include <cstddef>\n")
set(table "")
set(count 0)
foreach(file IN LISTS files)
  get_filename_component(base ${file} NAME)
  file(SHA256 ${file} hash)
  set(symbol "stratoplan_${NAME}_${count}")
  string(APPEND data "asm(\"/* ${hash} */\\n\"\n    \".section .rodata\\n\"\n"
                     "    \"${symbol}_begin: .incbin \\\"${file}\\\"\\n\"\n"
                     "    \"${symbol}_end: .byte 0\\n\"\n    \".previous\\n\");\n"
                     "extern \"C\" const char ${symbol}_begin[];\nextern \"C\" const char ${symbol}_end[];\n")
  string(APPEND table
    "        EmbeddedFile{\"${base}\", {${symbol}_begin, static_cast<std::size_t>(${symbol}_end - ${symbol}_begin)}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT} "${data}
namespace stratoplan::catalog::embedded {
std::span<const EmbeddedFile> ${NAME}()
{
    static const std::array<EmbeddedFile, ${count}> files{{
${table}    }};
    return files;
}
} // namespace stratoplan::catalog::embedded
")
