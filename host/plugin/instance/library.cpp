#include "plugin/instance/library.h"

#define BOOST_DLL_USE_STD_FS
#include <dlfcn.h>

#include <boost/dll/shared_library.hpp>
#include <mutex>

#include "plugin/instance/extensions/host_extensions.h"

namespace host::plugin {
namespace {

using boost::dll::shared_library;
constexpr std::uint32_t kSmallestDescriptor =
    offsetof(tp_plugin, create) + sizeof(tp_plugin::create);
constexpr int kMajorsToTry = 9;
constexpr std::uint64_t kMostSchemaBytes = 1u << 20u;

// One library at a time comes or goes, as the dynamic loader has it anyway: but its own lock orders
// a library's destructors before the constructors of the next at that address where no sanitizer
// sees it.
std::mutex& loader() {
  static std::mutex mutex;
  return mutex;
}

Error unfit(std::string why) {
  return Error{ErrorKind::PluginFault, std::move(why)};
}

std::string wrong_major(std::uint32_t major) {
  return "is built for ABI major " + std::to_string(major) + ", this host has " +
         std::to_string(TP_ABI_MAJOR) + ": build it against this host's SDK";
}

Result<void> check(const tp_plugin& plugin) {
  if (plugin.abi_major != TP_ABI_MAJOR) return unfit(wrong_major(plugin.abi_major));
  if (plugin.struct_size < kSmallestDescriptor) {
    return unfit("its tp_plugin has " + std::to_string(plugin.struct_size) + " bytes, at least " +
                 std::to_string(kSmallestDescriptor) +
                 " are needed: set struct_size to sizeof(tp_plugin)");
  }
  if (plugin.host_api_min_size > sizeof(tp_host_api)) {
    return unfit("needs a tp_host_api of " + std::to_string(plugin.host_api_min_size) +
                 " bytes, this host has " + std::to_string(sizeof(tp_host_api)) +
                 ": update the host");
  }
  if (!plugin.create) return unfit("its tp_plugin has no create()");
  for (const char* const* id = plugin.required_ext; id && *id; ++id) {
    if (!host_extension(*id))
      return unfit("needs the extension \"" + std::string(*id) +
                   "\", which this host does not offer");
  }
  return {};
}

}  // namespace

class Library::Handle {
 public:
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    const std::lock_guard lock(loader());
    library.unload();
  }

  void load(const std::filesystem::path& path, std::error_code& error) {
    // rtld_local: two plugins may carry different versions of the same library.
    constexpr auto kMode = boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local;
    const std::lock_guard lock(loader());
    library.load(path, kMode, error);
  }

  shared_library library;
};

Library::Library(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Library::Library(Library&&) noexcept = default;
Library& Library::operator=(Library&&) noexcept = default;
Library::~Library() = default;

Result<Library> Library::open(const std::filesystem::path& absolute_path) {
  Library library(std::make_unique<Handle>());
  std::error_code error;
  library.handle_->load(absolute_path, error);
  if (error) {
    const char* why = ::dlerror();  // Boost.DLL's own code is always "bad file descriptor"
    return unfit("cannot be loaded: " + (why ? std::string(why) : error.message()));
  }
  HOST_TRY(library.find_descriptor());
  return library;
}

Result<void> Library::find_descriptor() {
  shared_library& loaded = handle_->library;
  if (!loaded.has(TP_ENTRY_SYMBOL)) {
    for (int major = TP_ABI_MAJOR + 1; major <= kMajorsToTry; ++major) {
      if (loaded.has("toolpost_plugin_v" + std::to_string(major)))
        return unfit(wrong_major(static_cast<std::uint32_t>(major)));
    }
    return unfit("exports no " TP_ENTRY_SYMBOL
                 "(): it is no plugin of this host, or the function is hidden");
  }
  descriptor_ = loaded.get<decltype(toolpost_plugin_v1)>(TP_ENTRY_SYMBOL)();
  if (!descriptor_) return unfit(TP_ENTRY_SYMBOL "() gave NULL");
  return check(*descriptor_);
}

Result<std::string_view> Library::config_schema() const {
  if (!TP_HAS(tp_plugin, descriptor_, config_schema)) return std::string_view();
  const tp_str schema = descriptor_->config_schema;
  if (schema.len > kMostSchemaBytes) return unfit("its config_schema is longer than 1 MiB");
  if (schema.len > 0 && !schema.ptr) return unfit("its config_schema has a length and no bytes");
  return std::string_view(schema.ptr, schema.len);
}

bool Library::is_loaded(const std::filesystem::path& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle) ::dlclose(handle);
  return handle != nullptr;
}

}  // namespace host::plugin
