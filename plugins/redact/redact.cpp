// redact: an interceptor that replaces patterns in results, and in what running tools send.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <toolpost/toolpost.hpp>

#include "redaction.h"

namespace {

enum class Messages { redact, drop };
TOOLPOST_ENUM(Messages, TOOLPOST_VALUE(redact), TOOLPOST_VALUE(drop))

struct Settings {
  std::vector<std::string> patterns = {};
  std::string replacement = "[redacted]";
  Messages messages = Messages::redact;

  TOOLPOST_FIELDS(Settings,
                  TOOLPOST_FIELD(patterns, "Perl regular expressions of what must not be seen",
                                 toolpost::defaulted),
                  TOOLPOST_FIELD(replacement, "Takes the place of each match",
                                 toolpost::max_length(200), toolpost::defaulted),
                  TOOLPOST_FIELD(messages, "What running tools send: redact it, or drop it",
                                 toolpost::defaulted))
};

// Members with bytes of images, sounds and files in base64, and those that say what a block is.
bool is_searched(std::string_view member) {
  return member != "data" && member != "blob" && member != "type" && member != "mimeType";
}

class Redact {
 public:
  using Settings = ::Settings;

  explicit Redact(const Settings& settings) : messages_(settings.messages) {
    for (const std::string& pattern : settings.patterns)
      redactions_.emplace_back(pattern, settings.replacement);
  }

  std::optional<toolpost::CalledResult> leave(const toolpost::Intercepted&,
                                              const toolpost::CalledResult& result,
                                              const toolpost::Context&) const {
    bool changed = false;
    toolpost::CalledResult out;
    out.content = replaced_blocks(result.content, changed);
    if (result.structuredContent)
      out.structuredContent = replaced_data(*result.structuredContent, changed);
    out.isError = result.isError;
    return changed ? std::optional(std::move(out)) : std::nullopt;
  }

  std::optional<toolpost::StreamedText> message(const toolpost::Intercepted&,
                                                const toolpost::StreamedText& sent,
                                                const toolpost::Context&) const {
    if (messages_ == Messages::drop) return std::nullopt;
    toolpost::StreamedText out;
    out.text = replaced(sent.text).value_or(sent.text);
    bool changed = false;
    if (sent.fields) out.fields = replaced_data(*sent.fields, changed);
    return out;
  }

 private:
  std::optional<std::string> replaced(std::string_view text) const {
    std::optional<std::string> out;
    for (const Redaction& redaction : redactions_) {
      auto next = redaction.apply(out ? std::string_view(*out) : text);
      if (next) out = std::move(next);
    }
    return out;
  }

  // Only texts: names of members are MCP's.
  toolpost::Json replaced_blocks(const toolpost::Json& blocks, bool& changed) const {
    const auto replace = [&](const toolpost::JsonString& one) -> std::optional<std::string> {
      if (one.is_name || !is_searched(one.key)) return std::nullopt;
      auto out = replaced(one.text);
      if (out) changed = true;
      return out;
    };
    return toolpost::replace_strings(blocks, replace);
  }

  // Names of members too: they may be data. Each replaced name gets a number, so that no two are
  // alike.
  toolpost::Json replaced_data(const toolpost::Json& data, bool& changed) const {
    int names = 0;
    const auto replace = [&](const toolpost::JsonString& one) -> std::optional<std::string> {
      auto out = replaced(one.text);
      if (out && one.is_name) *out += " " + std::to_string(++names);
      if (out) changed = true;
      return out;
    };
    return toolpost::replace_strings(data, replace);
  }

  const Messages messages_;
  std::vector<Redaction> redactions_;
};

}  // namespace

TOOLPOST_PLUGIN(toolpost::Plugin<Redact>({.id = "io.toolpost.redact",
                                          .name = "Redact",
                                          .version = TOOLPOST_VERSION,
                                          .concurrent = true})
                    .messages_of_calls(&Redact::message)
                    .leave_calls(&Redact::leave))
