// Counts the requests that were refused because of a limit, by the limit's key in config.toml. The
// response to a refused request had the HTTP status that is documented for the limit. The functions
// of this header are called on the I/O thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "metrics/registry.h"

namespace host::metrics {

class Refusals {
 public:
  explicit Refusals(Registry& registry)
      : family_(
            registry.add({"toolpost_refused_total",
                          Kind::Counter,
                          "What was refused or closed because a limit was reached, by the limit.",
                          {"limit"},
                          {},
                          100})) {}

  // `limit` is a key like "limits.sessions_per_principal".
  void count(std::string_view limit, std::uint64_t times = 1) {
    family_.ensure({limit}).value += static_cast<double>(times);
  }

 private:
  Family& family_;
};

}  // namespace host::metrics
