#include "outbound/curl_library.h"

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>

#include <memory>
#include <string>
#include <type_traits>

namespace host::outbound {
namespace {

namespace dll = boost::dll;

constexpr const char* kName = "libcurl.so.4";

struct Loaded {
  dll::shared_library library;
  CurlLibrary functions{};
};

template <class F>
bool find(const dll::shared_library& library, const char* name, F& function) {
  if (!library.has(name)) return false;
  function = &library.get<std::remove_pointer_t<F>>(name);
  return true;
}

bool find_all(const dll::shared_library& library, CurlLibrary& to) {
  decltype(&::curl_global_init) global_init = nullptr;
  const bool whole = find(library, "curl_easy_init", to.easy_init) &&
                     find(library, "curl_easy_setopt", to.easy_setopt) &&
                     find(library, "curl_easy_getinfo", to.easy_getinfo) &&
                     find(library, "curl_easy_pause", to.easy_pause) &&
                     find(library, "curl_easy_reset", to.easy_reset) &&
                     find(library, "curl_easy_cleanup", to.easy_cleanup) &&
                     find(library, "curl_easy_strerror", to.easy_strerror) &&
                     find(library, "curl_slist_append", to.slist_append) &&
                     find(library, "curl_slist_free_all", to.slist_free_all) &&
                     find(library, "curl_multi_init", to.multi_init) &&
                     find(library, "curl_multi_setopt", to.multi_setopt) &&
                     find(library, "curl_multi_add_handle", to.multi_add_handle) &&
                     find(library, "curl_multi_remove_handle", to.multi_remove_handle) &&
                     find(library, "curl_multi_socket_action", to.multi_socket_action) &&
                     find(library, "curl_multi_info_read", to.multi_info_read) &&
                     find(library, "curl_multi_cleanup", to.multi_cleanup) &&
                     find(library, "curl_global_init", global_init);
  return whole && global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

}  // namespace

Result<const CurlLibrary*> CurlLibrary::load() {
  static Loaded* loaded = nullptr;  // never unloaded: OpenSSL's exit handlers may point into it
  if (loaded) return &loaded->functions;
  auto fresh = std::make_unique<Loaded>();
  std::error_code error;
  fresh->library.load(kName, error,
                      dll::load_mode::search_system_folders | dll::load_mode::rtld_lazy |
                          dll::load_mode::rtld_local);
  if (error || !find_all(fresh->library, fresh->functions)) {
    return Error{ErrorKind::Unavailable,
                 std::string(kName) + " cannot be used: install it (Debian: libcurl4)"};
  }
  loaded = fresh.release();
  return &loaded->functions;
}

}  // namespace host::outbound
