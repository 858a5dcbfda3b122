# tp_build: how this tree's own code is compiled. Linked PRIVATE, never exported.
add_library(tp_build INTERFACE)
target_compile_features(tp_build INTERFACE cxx_std_20 c_std_11)
target_compile_options(tp_build INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-mismatched-new-delete>  # g++ 12 takes Asio's coroutine frames for one
  # Below -O2 g++ 12 takes the value of an empty Result or std::optional for one that is read.
  $<$<AND:$<NOT:$<CONFIG:Release>>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Wno-maybe-uninitialized>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-ambiguous-reversed-operator>  # RapidJSON 1.1.0's iterators, under C++20
  $<$<BOOL:${TP_WERROR}>:-Werror>)
# lld links in a quarter of the time. Plugins are linked as their authors would link them.
find_program(TP_LLD ld.lld)
if(TP_LLD AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  target_link_options(tp_build INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fuse-ld=lld>)
endif()
if(CMAKE_UNITY_BUILD)  # which takes a file of ours for a header, whose unnamed namespaces would not be one's own
  target_compile_options(tp_build INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  # clang compares the names of one file with those of another file of its lump. The dev build has no lumps.
  target_compile_options(tp_build INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-shadow>)
  # g++ collects its garbage from half a GiB on, not from some MiB: a tenth less of processor time.
  target_compile_options(tp_build INTERFACE "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=524288>")
endif()
if(TP_SANITIZE)
  target_compile_options(tp_build INTERFACE -fsanitize=${TP_SANITIZE} -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)  # Asio's fences
  target_link_options(tp_build INTERFACE -fsanitize=${TP_SANITIZE})
  # The messages of g++'s UndefinedBehaviorSanitizer are 60,000 variables, which AddressSanitizer guards at each start of
  # the host: 150 ms of CPU time, 40 ms with a trap (SIGILL; a debugger shows the line) in place of a message. g++ has no
  # trap for the check `vptr`: the fuzz targets, which clang compiles, have this check.
  if(TP_SANITIZE MATCHES undefined)
    target_compile_options(tp_build INTERFACE
      $<$<CXX_COMPILER_ID:GNU>:-fno-sanitize=vptr -fsanitize-undefined-trap-on-error>)
  endif()
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_definitions(tp_build INTERFACE _GLIBCXX_ASSERTIONS)
  target_compile_options(tp_build INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong)
  target_link_options(tp_build INTERFACE -Wl,-z,relro -Wl,-z,now)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
