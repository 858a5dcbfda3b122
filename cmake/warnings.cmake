# tp_build contains the compiler options for the project's own code. It is linked PRIVATE and never exported.
add_library(tp_build INTERFACE)
target_compile_features(tp_build INTERFACE cxx_std_20 c_std_11)
target_compile_options(tp_build INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-mismatched-new-delete>  # g++ 12 warns wrongly about Asio's coroutine frames
  # Below -O2, g++ 12 warns wrongly that the value of an empty Result or std::optional is read.
  $<$<AND:$<NOT:$<CONFIG:Release>>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Wno-maybe-uninitialized>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-ambiguous-reversed-operator>  # iterators of RapidJSON 1.1.0 in C++20
  $<$<BOOL:${TP_WERROR}>:-Werror>)
# lld needs a quarter of the default linker's time. Plugins use the default linker, as plugin authors do.
find_program(TP_LLD ld.lld)
if(TP_LLD AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  target_link_options(tp_build INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fuse-ld=lld>)
endif()
if(CMAKE_UNITY_BUILD)  # g++ treats the included source files as headers, and warns about their unnamed namespaces
  target_compile_options(tp_build INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  # In a unity build, clang warns about equal names in different source files. The dev build is no unity build.
  target_compile_options(tp_build INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-shadow>)
  # g++ starts its garbage collection at half a GiB instead of a few MiB. That saves a tenth of the processor time.
  target_compile_options(tp_build INTERFACE "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=524288>")
endif()
if(TP_SANITIZE)
  target_compile_options(tp_build INTERFACE -fsanitize=${TP_SANITIZE} -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)  # Asio uses fences
  target_link_options(tp_build INTERFACE -fsanitize=${TP_SANITIZE})
  # clang does not define the macros that g++ defines in a build with a sanitizer.
  if(TP_SANITIZE MATCHES address)
    target_compile_definitions(tp_build INTERFACE $<$<CXX_COMPILER_ID:Clang>:__SANITIZE_ADDRESS__>)
  elseif(TP_SANITIZE MATCHES thread)
    target_compile_definitions(tp_build INTERFACE $<$<CXX_COMPILER_ID:Clang>:__SANITIZE_THREAD__>)
  endif()
  # The messages of g++'s UndefinedBehaviorSanitizer are 60,000 variables, which AddressSanitizer registers when the host
  # starts: a start takes 150 ms of CPU time. With a trap (SIGILL) instead of a message, a start takes 40 ms, and a
  # debugger shows the line. clang needs a seventh less processor time with traps. g++ has no trap for `vptr`, and does
  # not know `function`. Without both, asan and asan-gcc check the same. Only the fuzz targets have messages and both.
  if(TP_SANITIZE MATCHES undefined AND NOT TP_BUILD_FUZZ)
    # The path is relative, because ccache does not find the results of another clone with an absolute path. Only with
    # this old name of the option, ccache reads the file.
    file(RELATIVE_PATH undefined_ignored ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/cmake/undefined_ignored.txt)
    target_compile_options(tp_build INTERFACE -fno-sanitize=vptr
      $<$<CXX_COMPILER_ID:GNU>:-fsanitize-undefined-trap-on-error>
      $<$<CXX_COMPILER_ID:Clang>:-fsanitize-trap=undefined -fno-sanitize=function
      -fsanitize-blacklist=${undefined_ignored}>)
  endif()
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_definitions(tp_build INTERFACE _GLIBCXX_ASSERTIONS)
  target_compile_options(tp_build INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong)
  target_link_options(tp_build INTERFACE -Wl,-z,relro -Wl,-z,now)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
