#include "app/door/page_link.h"

#include "config/listen_address.h"
#include "outbound/origin.h"

namespace host::app {
namespace {

Error invalid(std::string message) {
  return {ErrorKind::InvalidArgument, std::move(message)};
}

std::string outer_origin(const config::Config& config) {
  if (config.oauth.resource.empty()) return {};
  const auto origin = outbound::origin_of(config.oauth.resource);
  return origin ? origin->text() : std::string();
}

}  // namespace

std::string page_url(const config::Config& config, const std::string& address) {
  if (!config.oauth.resource.empty()) return outer_origin(config);
  const auto at = config::listen_address(address);
  if (!at || at->is_unix() || at->is_all_interfaces()) return {};
  return "http://" + address;
}

Result<LinkPlace> link_place(const config::Config& config, const std::string& address) {
  const std::string outer = outer_origin(config);
  if (!outer.empty()) return LinkPlace{outer, {}};
  return link_place(address);
}

Result<LinkPlace> link_place(const std::string& address) {
  const auto at = config::listen_address(address);
  if (!at) {
    return invalid("\"" + address + "\" is not an address: expected " +
                   config::listen_form(address));
  }
  if (at->is_unix()) {
    return invalid("browsers cannot open the page at " + address +
                   ": name the address of a proxy in front of it with --listen");
  }
  if (at->port == 0) {
    return invalid("the host takes any free port on " + address +
                   ": name the address that its log shows with --listen");
  }
  if (!at->is_all_interfaces()) return LinkPlace{"http://" + address, {}};
  const std::string own = at->host.starts_with('[') ? "[::1]" : "127.0.0.1";
  return LinkPlace{"http://" + own + ":" + std::to_string(at->port),
                   address +
                       " means all interfaces, so the link is made for this machine. For "
                       "others set oauth.resource, or name an address with `toolpost key "
                       "link --listen`."};
}

}  // namespace host::app
