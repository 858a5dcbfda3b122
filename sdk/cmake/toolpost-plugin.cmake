# toolpost_add_plugin(<name> SOURCES <file>... [LIBRARIES <target>...])
#
# Makes <name>.so, a library that a host can load, watch, reload and unload. The library has:
# - one exported symbol, and no symbols of the kind STB_GNU_UNIQUE. With g++'s defaults, two builds of one
#   plugin would share their static variables, and dlclose would unmap neither build;
# - no undefined symbols, and all symbols are bound when the library is loaded. So a library that lacks a
#   symbol is refused when it is loaded, not in the middle of a call;
# - a build id, so that a backtrace can name the exact build.
#
# In C++ the plugin links the static library toolpost_sdk: the SDK's functions, compiled once for all
# plugins of the build. A plugin's own source compiles in a quarter of the time.
# target_precompile_headers(<name> PRIVATE <toolpost/toolpost.hpp>) halves that again.

# Sets the options with which a host can unload the library.
function(toolpost_unloadable target)
  set_target_properties(${target} PROPERTIES
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
endfunction()

function(toolpost_add_sdk source)
  if(MINGW)
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_source_compiles("#include <mutex>\nstd::mutex made; int main() { made.lock(); }" toolpost_has_mutex)
    if(NOT toolpost_has_mutex)
      message(FATAL_ERROR "toolpost: ${CMAKE_CXX_COMPILER} has no std::mutex. Use the compiler whose name ends in "
        "-posix: -DCMAKE_CXX_COMPILER=x86_64-w64-mingw32-g++-posix")
    endif()
  endif()
  add_library(toolpost_sdk STATIC EXCLUDE_FROM_ALL ${source})
  target_link_libraries(toolpost_sdk PUBLIC toolpost::sdk)
  target_compile_features(toolpost_sdk PUBLIC cxx_std_20)
  target_compile_definitions(toolpost_sdk PUBLIC TOOLPOST_SDK_COMPILED)
  toolpost_unloadable(toolpost_sdk)
endfunction()

function(toolpost_add_plugin name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "toolpost_add_plugin(${name}): expected SOURCES <file>... [LIBRARIES <target>...]")
  endif()

  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/toolpost-plugin.map)
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE toolpost::sdk ${arg_LIBRARIES})
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(CXX IN_LIST languages)
    if(NOT TARGET toolpost_sdk)
      toolpost_add_sdk(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/toolpost-sdk.cpp)
    endif()
    target_link_libraries(${name} PRIVATE toolpost_sdk)
  endif()
  set_target_properties(${name} PROPERTIES PREFIX "" LINK_DEPENDS ${map})
  toolpost_unloadable(${name})
  if(UNIX AND NOT APPLE)
    target_link_options(${name} PRIVATE
      LINKER:--version-script=${map}
      LINKER:-z,now LINKER:-z,relro LINKER:-z,noexecstack LINKER:--build-id=sha1)
    # The executable contains the sanitizer's symbols, so the library cannot define them.
    if(NOT "${TP_SANITIZE} ${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "fsanitize|address|thread|undefined")
      target_link_options(${name} PRIVATE LINKER:-z,defs)
    endif()
  endif()
endfunction()
