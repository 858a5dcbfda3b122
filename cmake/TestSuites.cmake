# A program with a sanitizer starts slowly, so builds with a sanitizer run a whole GoogleTest suite in one process.
#
#   tp_discover_suites(program TIMEOUT seconds LABELS ...)   registers each suite as a test of ctest, after each build of
#                                                            the program
#
# The build also runs this file as a script, with PROGRAM, FILE, TIMEOUT and LABELS: then it writes the list of tests.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(test_suites_script ${CMAKE_CURRENT_LIST_FILE})

  function(tp_discover_suites program)
    cmake_parse_arguments(arg "" "TIMEOUT" "LABELS" ${ARGN})
    set(list ${CMAKE_CURRENT_BINARY_DIR}/${program}.suites.cmake)
    add_custom_command(TARGET ${program} POST_BUILD BYPRODUCTS ${list} VERBATIM
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${program}> -DFILE=${list} -DTIMEOUT=${arg_TIMEOUT}
              "-DLABELS=${arg_LABELS}" -P ${test_suites_script})
    set(include ${CMAKE_CURRENT_BINARY_DIR}/${program}.tests.cmake)
    file(WRITE ${include} "if(EXISTS \"${list}\")\n  include(\"${list}\")\nelse()\n"
                          "  add_test(${program}_NOT_BUILT ${program}_NOT_BUILT)\nendif()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
  endfunction()
  return()
endif()

execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)[^ \n][^ \n]*\\." suites "${listed}")
if(NOT suites)
  message(FATAL_ERROR "${PROGRAM} lists no test")
endif()
# The longest suites and their duration in seconds, in a build with a sanitizer on a busy machine. ctest starts them
# early, as it starts the long integration tests, so that no core is idle at the end.
set(long_suites "All/FaultLoop=110" "HostileCommand=320" "Landlock/EveryAbi=80" "ElfLint=65" "ResultCheck=60")
set(tests "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n|\\.$" "" suite "${suite}")
  set(cost 0)
  if("${long_suites}" MATCHES "(^|;)${suite}=([0-9]+)")
    set(cost ${CMAKE_MATCH_2})
  endif()
  string(APPEND tests
    "add_test([=[${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=])\n"
    "set_tests_properties([=[${suite}]=] PROPERTIES COST ${cost} TIMEOUT ${TIMEOUT} LABELS [=[${LABELS}]=])\n")
endforeach()
file(WRITE ${FILE} "${tests}")
