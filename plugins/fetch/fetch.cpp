// fetch: one HTTP GET, through the host's own gate.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <toolpost/ext/http.h>
#include <toolpost/toolpost.hpp>

#include "address.h"
#include "page.h"
#include "roots/utf8.h"

namespace {

enum class As { text, raw };
TOOLPOST_ENUM(As, TOOLPOST_VALUE(text), TOOLPOST_VALUE(raw))

struct Fetch {
  std::string url;
  std::int64_t max_bytes = 100'000;
  As as = As::text;

  TOOLPOST_FIELDS(Fetch, TOOLPOST_FIELD(url, "An https URL", toolpost::max_length(4096)),
                  TOOLPOST_FIELD(max_bytes, "Of text that is told", toolpost::minimum(100),
                                 toolpost::maximum(1'000'000)),
                  TOOLPOST_FIELD(as, "text: HTML as readable text; raw: as it came",
                                 toolpost::defaulted))
};

std::string bytes_of(std::size_t count) {
  return std::to_string(count) + " bytes";
}

class Fetcher {
 public:
  struct Settings {
    std::int64_t max_response_bytes = 4 * 1024 * 1024;
    TOOLPOST_FIELDS(Settings, TOOLPOST_FIELD(max_response_bytes, "Larger responses are an error",
                                             toolpost::minimum(1000), toolpost::maximum(16 << 20)))
  };
  explicit Fetcher(const Settings& settings)
      : most_(static_cast<std::uint64_t>(settings.max_response_bytes)) {}

  toolpost::Content fetch(const Fetch& args, toolpost::Context& call) const {
    const Address address = parse_address(args.url);
    const toolpost::HttpResponse response = call.http(
        {.url = address.text(),
         .headers = {{"Accept", "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.5"}},
         .max_bytes = most_});
    toolpost::Content content = told(args, response);
    if (response.status < 400) return content;
    content.push_to(call);
    throw toolpost::Error("status " + std::to_string(response.status) + " from " +
                          printable(response.url));
  }

  bool match(const Fetch& args, const toolpost::Check& check) const {
    return address_fits(check.rule_content.value_or("*"), parse_address(args.url).text());
  }
  std::vector<toolpost::Suggestion> suggest(const Fetch& args) const {
    return {{parse_address(args.url).origin + "/*"}};
  }
  // Nobody is asked for a yes to what cannot be done.
  toolpost::Permission check(const Fetch& args) const {
    try {
      parse_address(args.url);
      return {};
    } catch (const toolpost::Error& error) {
      return {toolpost::Behavior::deny, error.what(), "no URL to fetch", false};
    }
  }

 private:
  toolpost::Content told(const Fetch& args, const toolpost::HttpResponse& response) const {
    const std::string type = response.header("content-type").value_or("");
    const std::string media = media_type(type);
    std::string head = "[" + std::to_string(response.status) + ", " +
                       (media.empty() ? "no content type" : printable(media)) + ", " +
                       bytes_of(response.body.size()) + ", from " + printable(response.url);
    toolpost::Content content;
    if (media.starts_with("image/") && media != "image/svg+xml")
      return content.text(head + "]").blob(media, response.body);
    if (!is_text(media)) return content.text(head + ": no text, and not shown]");
    const std::string text =
        page_text(type, response.body, args.as == As::raw ? Form::Raw : Form::Text);
    const std::string_view shown = toolpost::cut(text, static_cast<std::size_t>(args.max_bytes));
    if (shown.size() < text.size())
      head += "; the first " + bytes_of(shown.size()) + " of " + std::to_string(text.size());
    return content.text(head + "]\n\n" + std::string(shown));
  }

  std::uint64_t most_;
};

}  // namespace

TOOLPOST_PLUGIN(toolpost::Plugin<Fetcher>({.id = "io.toolpost.fetch",
                                           .name = "Fetch",
                                           .version = TOOLPOST_VERSION,
                                           .concurrent = true,
                                           .required_extensions = {TP_EXT_HTTP}})
                    .tool("fetch", "Get a page from the web by its URL, as text", &Fetcher::fetch,
                          {.title = "Fetch a page",
                           .max_inflight = 8,
                           .idempotent = true,
                           .not_destructive = true})
                    .check_permissions(&Fetcher::check)
                    .match_rule(&Fetcher::match)
                    .generate_suggestions(&Fetcher::suggest))
