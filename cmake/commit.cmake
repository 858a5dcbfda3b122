# Writes a source file that contains the commit of the sources. Does not write the file if its content is already right:
#
#   cmake -DSOURCE=FOLDER -DOUT=FILE -P commit.cmake
#
# The commit is empty if Git is missing, or if the folder SOURCE is not the root of a repository.
function(ask_git result)
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE} ${ARGN}  # must not lock the index against a `git commit`
    OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(said "")
  endif()
  set(${result} "${said}" PARENT_SCOPE)
endfunction()

ask_git(folder_in_repository rev-parse --show-prefix)
ask_git(commit rev-parse --short=12 HEAD)
ask_git(changes status --porcelain --untracked-files=no)
if(folder_in_repository)
  set(commit "")
elseif(commit AND changes)
  string(APPEND commit "-dirty")
endif()
string(CONCAT code "// Made by cmake/commit.cmake.\n#include \"commit.h\"\n\nnamespace host {\n\n"
       "const char* commit() {\n  return \"${commit}\";\n}\n\n}  // namespace host\n")
file(CONFIGURE OUTPUT ${OUT} CONTENT "${code}" @ONLY)
