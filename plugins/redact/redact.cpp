// redact: an interceptor that replaces patterns in results, and in what running tools send.
#include <chrono>
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

// Of one result with all its texts and patterns.
constexpr std::chrono::milliseconds kLongest{500};

// Members with bytes of images, sounds and files in base64, and those that say what a block is.
bool is_searched(std::string_view member) {
  return member != "data" && member != "blob" && member != "type" && member != "mimeType";
}

class Redact {
 public:
  using Settings = ::Settings;

  Redact(const Settings& settings, const toolpost::Host& host) : messages_(settings.messages) {
    // Also if messages are dropped: results pass as they are.
    if (settings.patterns.empty()) {
      host.log(toolpost::LogLevel::Warning,
               "the setting `patterns` is empty, so no text is replaced");
    }
    for (const std::string& pattern : settings.patterns)
      redactions_.emplace_back(pattern, settings.replacement);
  }

  std::optional<toolpost::CalledResult> leave(const toolpost::Intercepted&,
                                              const toolpost::CalledResult& result,
                                              const toolpost::Context&) const {
    const auto end = Redaction::Clock::now() + kLongest;
    bool changed = false;
    toolpost::CalledResult out;
    out.content = replaced_blocks(result.content, end, changed);
    if (result.structuredContent)
      out.structuredContent = replaced_data(*result.structuredContent, end, changed);
    if (result._meta) out._meta = replaced_data(*result._meta, end, changed);
    out.isError = result.isError;
    return changed ? std::optional(std::move(out)) : std::nullopt;
  }

  std::optional<toolpost::StreamedText> message(const toolpost::Intercepted&,
                                                const toolpost::StreamedText& sent,
                                                const toolpost::Context&) const {
    if (messages_ == Messages::drop) return std::nullopt;
    const auto end = Redaction::Clock::now() + kLongest;
    toolpost::StreamedText out;
    out.text = replaced(sent.text, end).value_or(sent.text);
    bool changed = false;
    if (sent.fields) out.fields = replaced_data(*sent.fields, end, changed);
    return out;
  }

 private:
  std::optional<std::string> replaced(std::string_view text,
                                      Redaction::Clock::time_point end) const {
    std::optional<std::string> out;
    for (const Redaction& redaction : redactions_) {
      auto next = redaction.apply(out ? std::string_view(*out) : text, end);
      if (next) out = std::move(next);
    }
    return out;
  }

  // Only texts: names of members are MCP's.
  toolpost::Json replaced_blocks(const toolpost::Json& blocks, Redaction::Clock::time_point end,
                                 bool& changed) const {
    const auto replace = [&](const toolpost::JsonString& one) -> std::optional<std::string> {
      if (one.is_name || !is_searched(one.key)) return std::nullopt;
      auto out = replaced(one.text, end);
      if (out) changed = true;
      return out;
    };
    return toolpost::replace_strings(blocks, replace);
  }

  // Names of members too: they may be data. Each replaced name gets a number, so that no two are
  // alike.
  toolpost::Json replaced_data(const toolpost::Json& data, Redaction::Clock::time_point end,
                               bool& changed) const {
    int names = 0;
    const auto replace = [&](const toolpost::JsonString& one) -> std::optional<std::string> {
      auto out = replaced(one.text, end);
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
