// The JSON text of `serverInfo` in the form of each protocol version.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "protocol/mcp.h"
#include "protocol/versions.h"

namespace host::mcp {

class ServerInfos {
 public:
  explicit ServerInfos(const protocol::ServerInfo& info) {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      texts_[i] = protocol::server_info(info, static_cast<protocol::Version>(i));
    }
  }
  const std::string& of(protocol::Version version) const {
    return texts_[static_cast<std::size_t>(version)];
  }

 private:
  std::array<std::string, protocol::kVersions> texts_;
};

}  // namespace host::mcp
