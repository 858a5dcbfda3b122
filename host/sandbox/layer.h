// Defines the layers of a worker's sandbox, in the order in which they are applied. The
// configuration and the reports of workers use the names of layers from this header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace host::sandbox {

enum class LayerName : std::uint8_t {
  Limits,        // resource limits; for a server also the number of processes
  Namespaces,    // user, ipc, and net if no filter prevents sockets; often denied inside containers
  NoNewPrivs,    // no program that the worker runs gains privileges
  Capabilities,  // the process has no capabilities, and can gain none
  Landlock,      // limits files, TCP and signals; from Linux 5.13 on
  Seccomp,       // the allowed system calls
};

inline constexpr std::array<std::string_view, 6> kLayerNames = {
    "limits", "namespaces", "no_new_privs", "capabilities", "landlock", "seccomp"};

// kLandlockIfPresent in the setting `sandbox.require` means that Landlock must work if the kernel
// has Landlock.
inline constexpr std::string_view kLandlockIfPresent = "landlock_if_present";
inline constexpr std::array<std::string_view, 7> kRequirable = {
    "limits",   "namespaces", "no_new_privs",    "capabilities",
    "landlock", "seccomp",    kLandlockIfPresent};

constexpr std::string_view to_string(LayerName name) {
  return kLayerNames[static_cast<std::size_t>(name)];
}

constexpr std::optional<LayerName> layer_named(std::string_view name) {
  for (std::size_t at = 0; at < kLayerNames.size(); ++at) {
    if (kLayerNames[at] == name) return static_cast<LayerName>(at);
  }
  return std::nullopt;
}

class LayerSet {
 public:
  LayerSet() = default;
  explicit LayerSet(std::uint32_t bits) : bits_(bits) {}
  void add(LayerName name) { bits_ |= bit(name); }
  bool has(LayerName name) const { return (bits_ & bit(name)) != 0; }
  std::uint32_t bits() const { return bits_; }
  bool operator==(const LayerSet&) const = default;

 private:
  static std::uint32_t bit(LayerName name) { return 1u << static_cast<std::uint32_t>(name); }
  std::uint32_t bits_ = 0;
};

// A Layer is the result of applying one layer of the sandbox.
struct Layer {
  LayerName name = LayerName::Limits;
  bool active = false;
  std::string detail;  // what the layer restricts, or why it is absent; may be empty
  bool operator==(const Layer&) const = default;
};

}  // namespace host::sandbox
