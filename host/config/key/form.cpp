#include "config/key/form.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "base/minisign.h"

namespace host::config {
namespace {

// First segments of paths that are the host's own.
constexpr std::string_view kReservedNames[] = {"api",  "healthz", "mcp", "metrics",
                                               "page", "readyz",  "v1"};

// Names that people read as the host's own, in whatever case a file spells them.
constexpr std::string_view kReservedPlugins[] = {"builtin", "host", "toolpost"};

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool only(std::string_view text, std::string_view also) {
  return std::all_of(text.begin(), text.end(), [also](char c) {
    return is_letter_or_digit(c) || also.find(c) != std::string_view::npos;
  });
}

bool is_reserved_plugin(std::string_view name) {
  const auto same = [name](std::string_view reserved) {
    return std::equal(
        name.begin(), name.end(), reserved.begin(), reserved.end(),
        [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
  };
  return std::any_of(std::begin(kReservedPlugins), std::end(kReservedPlugins), same);
}

}  // namespace

const char* host_form(std::string_view text) {
  const bool bare = !text.empty() && text.size() <= 255 && only(text, ".-:[]");
  return bare ? nullptr : "a host in the form of a Host header, like \"tools.example\"";
}

const char* origin_form(std::string_view text) {
  constexpr const char* kForm =
      "an origin, like \"https://app.example\": scheme, host, port, and no path";
  const std::size_t slashes = text.find("://");
  if (slashes == std::string_view::npos || slashes == 0) return kForm;
  const std::string_view host = text.substr(slashes + 3);
  return only(text.substr(0, slashes), "+.-") && !host.empty() && only(host, ".-:[]") ? nullptr
                                                                                      : kForm;
}

const char* https_origin_form(std::string_view text) {
  return text.starts_with("https://") && !origin_form(text)
             ? nullptr
             : "an https origin, like \"https://hooks.example\", without a path";
}

const char* net_form(std::string_view text) {
  constexpr std::string_view kBelow = "https://*.";
  if (text == "*") return nullptr;
  const bool below = text.starts_with(kBelow);
  const std::string plain =
      below ? "https://" + std::string(text.substr(kBelow.size())) : std::string(text);
  const bool http = plain.starts_with("https://") || plain.starts_with("http://");
  return http && !origin_form(plain) ? nullptr
                                     : "\"*\", \"https://api.example\" or \"https://*.example\"";
}

const char* not_empty(std::string_view text) {
  const bool blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  return blank ? "a text that is not blank" : nullptr;
}

// Ids that the host makes begin with wh_.
const char* webhook_id_form(std::string_view text) {
  const bool fits = !tool_name_form(text) && !text.starts_with("wh_");
  return fits ? nullptr : "1 to 64 letters, digits, _ or -, which do not begin with wh_";
}

// Empty: the one that its tools declare.
const char* group_form(std::string_view text) {
  return text.empty() ? nullptr : tool_name_form(text);
}

const char* signing_key_form(std::string_view text) {
  return read_minisign_key(text)
             ? nullptr
             : "a public key of minisign: the second line of its .pub file, which begins with RW";
}

const char* upstream_name_form(std::string_view text) {
  const bool fits = !text.empty() && text.size() <= 32 && only(text, "_-") && text.front() != '_' &&
                    text.back() != '_' && text.find("__") == std::string_view::npos;
  return fits ? nullptr
              : "1 to 32 letters, digits, - or _, with no _ at an end and no two in a row";
}

const char* command_form(std::string_view text) {
  const bool rooted = text.starts_with('/') || text.find('/') == std::string_view::npos;
  const bool fits = !text.empty() && rooted && text.find('\0') == std::string_view::npos;
  return fits ? nullptr : "the name of a program in PATH, or an absolute path";
}

// Whether the rest of it is a URL is known when it is used.
const char* upstream_url_form(std::string_view text) {
  constexpr std::string_view kHere[] = {"http://127.0.0.1", "http://localhost", "http://[::1]"};
  const auto begins = [&](std::string_view here) {
    const std::string_view rest = text.substr(std::min(text.size(), here.size()));
    return text.starts_with(here) && (rest.empty() || rest[0] == ':' || rest[0] == '/');
  };
  const bool is_reachable =
      text.starts_with("https://") || std::any_of(std::begin(kHere), std::end(kHere), begins);
  const bool is_clean =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f && c != '@'; });
  if (is_reachable && is_clean && text.size() <= 8192) return nullptr;
  return "an https URL without a user name, or an http URL of 127.0.0.1, localhost or [::1]";
}

const char* document_form(std::string_view text) {
  const bool is_url = text.find("://") != std::string_view::npos;
  const bool fits = is_url ? !upstream_url_form(text)
                           : !text.empty() && text.find('\0') == std::string_view::npos;
  return fits ? nullptr
              : "a path, an https URL without a user name, or an http URL of 127.0.0.1, localhost "
                "or [::1]";
}

// http goes to this machine only, as in `url`.
const char* api_origin_form(std::string_view text) {
  const bool fits =
      text != "*" && !net_form(text) && (text.starts_with("https://") || !upstream_url_form(text));
  return fits ? nullptr
              : "\"https://api.example\", \"https://*.example\", or an http origin of 127.0.0.1, "
                "localhost or [::1]";
}

const char* client_id_form(std::string_view text) {
  const bool fits = text.size() <= 2048 && std::all_of(text.begin(), text.end(), [](char c) {
                      return c > ' ' && c < '\x7F';
                    });
  return fits ? nullptr : "empty, or the id that the authorization server gave, without spaces";
}

// Its path tells it from the ids that servers give.
const char* client_metadata_form(std::string_view text) {
  if (text.empty()) return nullptr;
  const std::size_t slash = text.find('/', 8);
  const bool fits =
      text.starts_with("https://") && slash != std::string_view::npos && slash > 8 &&
      slash + 1 < text.size() && text.size() <= 2048 &&
      text.find_first_of("#?@") == std::string_view::npos &&
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7F'; });
  return fits ? nullptr : "empty, or an https URL with a path, without query and fragment";
}

const char* argument_form(std::string_view text) {
  return text.find('\0') == std::string_view::npos ? nullptr : "a text without zero bytes";
}

const char* pattern_form(std::string_view text) {
  return !text.empty() && text.size() <= 256 ? nullptr : "a tool's name, in which * may stand";
}

const char* uri_pattern_form(std::string_view text) {
  return !text.empty() && text.size() <= 1024 ? nullptr : "a URI, in which * may stand";
}

const char* prompt_pattern_form(std::string_view text) {
  return !text.empty() && text.size() <= 256 ? nullptr : "a prompt's name, in which * may stand";
}

// As others write it, byte by byte: it is compared, and stands in headers between quotes.
const char* endpoint_form(std::string_view text) {
  constexpr const char* kForm =
      "empty, or a URL by https (http on this machine), without query and fragment";
  if (text.empty()) return nullptr;
  const std::size_t scheme = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : 0;
  const std::string_view host = text.substr(scheme, text.find('/', scheme) - scheme);
  return scheme != 0 && !host.empty() && only(host, ".-:[]") &&
                 only(text.substr(scheme), "-._~:/[]%!$&'()*+,;=@")
             ? nullptr
             : kForm;
}

// RFC 6749, 3.3.
const char* token_scope_form(std::string_view text) {
  const bool fits = std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < '\x7F' && c != '"' && c != '\\';
  });
  return fits ? nullptr : "empty, or the name of one scope: ASCII without blanks, \" and \\";
}

const char* scope_form(std::string_view text) {
  const bool fits = !text.empty() && !token_scope_form(text);
  return fits ? nullptr : "the name of one scope: ASCII without blanks, \" and \\";
}

const char* variable_form(std::string_view text) {
  const bool fits = !text.empty() && only(text, "_") && (text[0] < '0' || text[0] > '9');
  return fits ? nullptr : "the name of an environment variable, like \"API_TOKEN\"";
}

const char* tool_name_form(std::string_view text) {
  const bool fits = !text.empty() && text.size() <= 64 && only(text, "_-");
  return fits ? nullptr : "1 to 64 letters, digits, _ or -";
}

const char* plugin_name_form(std::string_view text) {
  const bool fits = !text.empty() && text.size() <= 64 && only(text, "_-.+") && text.front() != '.';
  return fits && !is_reserved_plugin(text)
             ? nullptr
             : "a library's name without its ending: 1 to 64 letters, digits, _, -, + or ., and "
               "none of builtin, host and toolpost, which mean the host itself";
}

const char* agent_name_form(std::string_view text) {
  const bool fits = !text.empty() && text.size() <= 64 && only(text, "_-");
  const bool reserved = std::find(std::begin(kReservedNames), std::end(kReservedNames), text) !=
                        std::end(kReservedNames);
  return fits && !reserved ? nullptr
                           : "1 to 64 letters, digits, _ or -, and none of api, healthz, mcp, "
                             "metrics, page, readyz and v1, which are the host's own paths";
}

}  // namespace host::config
