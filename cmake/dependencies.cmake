# All libraries of other projects that the host uses. The versions are those of Debian 12.
find_package(Threads REQUIRED)
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS headers url)
find_package(tomlplusplus 3.3 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(yaml-cpp 0.7 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
find_package(ZLIB 1.2.13 REQUIRED)
find_package(CURL 7.88 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8>=10.42)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp>=2.5)
pkg_check_modules(OATH REQUIRED IMPORTED_TARGET liboath>=2.6)
pkg_check_modules(QRENCODE REQUIRED IMPORTED_TARGET libqrencode>=4.1)
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c>=0.4.8)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash>=0.8)

# The functions of Asio and Beast that are not templates are compiled once for each build, not in each file.
foreach(part asio/impl beast)
  string(MAKE_C_IDENTIFIER tp_boost_${part} library)
  set(source ${CMAKE_BINARY_DIR}/third_party/${library}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <boost/${part}/src.hpp>\n")
  add_library(${library} STATIC ${source})
  target_compile_definitions(${library} PUBLIC BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION)
  target_link_libraries(${library} PRIVATE tp_build PUBLIC Threads::Threads)
endforeach()
target_link_libraries(tp_boost_beast PUBLIC tp_boost_asio_impl)
add_library(tp_boost INTERFACE)
target_link_libraries(tp_boost INTERFACE Boost::headers tp_boost_asio_impl tp_boost_beast)

# libbacktrace is part of g++ and is in the folder of g++'s libraries. clang finds it there, too.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libbacktrace.a
  OUTPUT_VARIABLE tp_backtrace_library OUTPUT_STRIP_TRAILING_WHITESPACE)
cmake_path(GET tp_backtrace_library PARENT_PATH tp_backtrace_folder)
if(NOT EXISTS ${tp_backtrace_folder}/include/backtrace.h)
  message(FATAL_ERROR "libbacktrace is missing: it comes with Debian's libgcc-12-dev")
endif()
add_library(tp_backtrace INTERFACE)
target_link_libraries(tp_backtrace INTERFACE ${tp_backtrace_library})
# The folder of libbacktrace also has headers of g++ that clang must not use. So only these two headers are copied.
configure_file(${tp_backtrace_folder}/include/backtrace.h ${CMAKE_BINARY_DIR}/third_party/backtrace.h COPYONLY)
configure_file(${tp_backtrace_folder}/include/backtrace-supported.h
  ${CMAKE_BINARY_DIR}/third_party/backtrace-supported.h COPYONLY)
target_include_directories(tp_backtrace SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/third_party)

# RapidJSON 1.1.0 has only headers. They are system includes, because they cause warnings in C++20.
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/document.h REQUIRED)
add_library(tp_rapidjson INTERFACE)
target_include_directories(tp_rapidjson SYSTEM INTERFACE ${RAPIDJSON_INCLUDE_DIR})
# RapidJSON 1.1.0 has a template that cannot be instantiated. clang 19 reports that at once, if it does not parse templates
# only when they are needed.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19)
  target_compile_options(tp_rapidjson INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fdelayed-template-parsing -Wno-delayed-template-parsing-in-cxx20>)
endif()

# Only the headers of libcurl: the host loads the library when it is first needed, and does not link it.
add_library(tp_curl_headers INTERFACE)
target_include_directories(tp_curl_headers SYSTEM INTERFACE ${CURL_INCLUDE_DIRS})
