# Writes a source file that contains files as texts. FUNCTION() of FOLDER/HEADER returns them, each as TYPE {name, text}:
#
#   cmake -DOUT=FILE -DFOLDER=cli -DHEADER=templates.h -DTYPE=TemplateFile -DFUNCTION=template_files
#         -DFILES=NAME=FILE|NAME=FILE... -P embed.cmake
#
# The C template is the plugin `hello`. The script replaces its id and its name by placeholders, also in function names.
string(REPLACE "|" ";" FILES "${FILES}")
set(code "// Made by cmake/embed.cmake.\n#include \"${FOLDER}/${HEADER}\"\n\nnamespace host::${FOLDER} {\nnamespace {\n\n")
string(APPEND code "constexpr ${TYPE} kFiles[] = {\n")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([^=]*)=(.*)$" _ "${entry}")
  set(name "${CMAKE_MATCH_1}")
  file(READ "${CMAKE_MATCH_2}" text)
  if(name MATCHES "\\.c\\.in$")
    string(REPLACE "TP_STR(\"io.toolpost.hello\")" "TP_STR(\"@ID@\")" text "${text}")
    string(REPLACE "TP_STR(\"Hello\")" "TP_STR(\"@TITLE@\")" text "${text}")
    string(REPLACE "TP_STR(\"echo\")" "TP_STR(\"@IDENTIFIER@_echo\")" text "${text}")
    string(REPLACE "TP_STR(\"greet\")" "TP_STR(\"@IDENTIFIER@_greet\")" text "${text}")
    string(REPLACE "TP_STR(TOOLPOST_VERSION)" "TP_STR(\"0.1.0\")" text "${text}")
    string(REPLACE "/* hello: the smallest true plugin. Two tools," "/* @NAME@: two tools," text "${text}")
    string(REGEX REPLACE "hello([^a-z])" "@IDENTIFIER@\\1" text "${text}")
    string(REPLACE "\"toolpost/plugin.h\"" "<toolpost/plugin.h>" text "${text}")
  endif()
  string(APPEND code "    {\"${name}\", R\"tp_file(${text})tp_file\"},\n")
endforeach()
string(APPEND code "};\n\n}  // namespace\n\nstd::span<const ${TYPE}> ${FUNCTION}() {\n  return kFiles;\n}\n\n}  // namespace host::${FOLDER}\n")
file(WRITE "${OUT}" "${code}")
