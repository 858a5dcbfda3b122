# Writes a source file that knows the commit of the sources, and leaves the file as it is if it is right:
#
#   cmake -DSOURCE=FOLDER -DOUT=FILE -P commit.cmake
execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=12 --exclude=* --dirty
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-prefix
  OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT status EQUAL 0 OR NOT "${prefix}" STREQUAL "")  # no Git, no repository, or the repository of a folder above
  set(commit "")
endif()
string(CONCAT code "// Made by cmake/commit.cmake.\n#include \"commit.h\"\n\nnamespace host {\n\n"
         "const char* commit() {\n  return \"${commit}\";\n}\n\n}  // namespace host\n")
file(CONFIGURE OUTPUT ${OUT} CONTENT "${code}" @ONLY)
