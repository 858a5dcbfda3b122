#include "upstream/manager/transports.h"

#include "base/digest.h"
#include "upstream/stdio/stdio_transport.h"

namespace host::upstream {

TransportMaker transport_of(const boost::asio::any_io_executor& io,
                            const config::Upstream& upstream, const config::Config& config,
                            const std::filesystem::path& keeper) {
  StdioUpstream stdio;
  stdio.name = upstream.name;
  stdio.message_bytes = config.limits.upstream_message_bytes;
  stdio.child.keeper = keeper;
  stdio.child.command = upstream.command;
  stdio.child.args = upstream.args;
  stdio.child.cwd = upstream.cwd;
  stdio.child.grace = config.upstreams.stop_timeout;
  return [io, stdio, upstream]() -> Result<std::unique_ptr<Transport>> {
    HOST_TRY_ASSIGN(const std::vector<std::string> added, config::environment_of(upstream));
    StdioUpstream now = stdio;
    now.child.env = upstream_environment(added);
    return make_stdio_transport(io, std::move(now));
  };
}

std::string source_of(const config::Upstream& upstream) {
  std::string out = upstream.command;
  for (const std::string& argument : upstream.args) out += " " + argument;
  return out;
}

std::string build_of(const config::Upstream& upstream) {
  std::string all = upstream.name;
  const auto add = [&all](const std::string& text) {
    all += '\0';
    all += text;
  };
  add(upstream.command);
  for (const std::string& argument : upstream.args) add(argument);
  add(upstream.cwd.string());
  add(upstream.env);
  return "sha256:" + to_hex(sha256(all));
}

}  // namespace host::upstream
