# toolpost_add_plugin(<name> SOURCES <file>... [LIBRARIES <target>...])
#
# Makes <name>.so, a library that a host can load, watch, reload and unload:
# - one exported symbol and no STB_GNU_UNIQUE ones: with g++'s defaults two builds of one plugin would
#   share their static variables, and dlclose would unmap neither;
# - every symbol bound at load, none missing: a build that lacks something is refused when it is
#   loaded, not in the middle of a call;
# - a build id, so that a backtrace can name the very build.

function(toolpost_add_plugin name)
  set(toolpost_plugin_map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/toolpost-plugin.map)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "toolpost_add_plugin(${name}): expected SOURCES <file>... [LIBRARIES <target>...]")
  endif()

  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/toolpost-plugin.map)
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE toolpost::sdk ${arg_LIBRARIES})
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(CXX IN_LIST languages)
    target_compile_features(${name} PRIVATE cxx_std_20)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON
    LINK_DEPENDS ${map})
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  if(UNIX AND NOT APPLE)
    target_link_options(${name} PRIVATE
      LINKER:--version-script=${map}
      LINKER:-z,now LINKER:-z,relro LINKER:-z,noexecstack LINKER:--build-id=sha1)
    # A sanitizer's own symbols come from the executable, so they are missing in the library by design.
    if(NOT "${TP_SANITIZE} ${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "fsanitize|address|thread|undefined")
      target_link_options(${name} PRIVATE LINKER:-z,defs)
    endif()
  endif()
endfunction()
