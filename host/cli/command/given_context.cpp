#include "cli/command/given_context.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "json/json.h"
#include "tool/call/sent_context.h"

namespace host::cli {
namespace {

using tool::Attachment;

Error unusable(std::string why) {
  return Error{ErrorKind::InvalidArgument, std::move(why)};
}

// `FILE` or `FILE;TYPE`.
Result<Attachment> attachment_of(const std::string& written, std::size_t number) {
  const std::size_t semicolon = written.rfind(';');
  const std::string path = written.substr(0, semicolon);
  Attachment made;
  made.id = "file_" + std::to_string(number);
  made.name = std::filesystem::path(path).filename().string();
  made.content_type =
      semicolon == std::string::npos ? "application/octet-stream" : written.substr(semicolon + 1);
  // Not blocking: a pipe without a writer would never open.
  made.file =
      std::make_shared<const UniqueFd>(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found {};
  if (!*made.file || ::fstat(made.file->get(), &found) != 0)
    return unusable("--attach " + path + ": " + std::strerror(errno));
  if (!S_ISREG(found.st_mode)) return unusable("--attach " + path + ": not a file");
  made.bytes = static_cast<std::uint64_t>(found.st_size);
  return made;
}

Result<std::pair<std::string, std::string>> named(const char* option, const std::string& written) {
  const std::size_t equals = written.find('=');
  if (equals == 0 || equals == std::string::npos)
    return unusable(std::string(option) + " \"" + written + "\": expected NAME=" +
                    (std::string_view(option) == "--entry" ? "JSON" : "TEXT"));
  return std::pair(written.substr(0, equals), written.substr(equals + 1));
}

}  // namespace

Result<std::shared_ptr<const tool::CallContext>> given_context(const CommandLine& line) {
  auto given = std::make_shared<tool::CallContext>();
  for (const std::string& written : line.attachments) {
    HOST_TRY_ASSIGN(Attachment made, attachment_of(written, given->attachments.size() + 1));
    given->attachments.push_back(std::move(made));
  }
  for (const std::string& written : line.values) {
    HOST_TRY_ASSIGN(auto value, named("--value", written));
    given->values.insert_or_assign(std::move(value.first), std::move(value.second));
  }
  for (const std::string& written : line.entries) {
    HOST_TRY_ASSIGN(auto entry, named("--entry", written));
    const auto parsed = json::parse(entry.second);
    if (!parsed) return parsed.error().within("--entry " + entry.first);
    given->entries.insert_or_assign(std::move(entry.first), json::write(parsed->root()));
  }
  // By the same rules as the context that a client sends, because the host may store it.
  HOST_TRY_ASSIGN(const tool::SentContext sent, tool::sent_context_in(tool::text_of(given)));
  if (sent) given->entries = sent->entries;
  if (*given == tool::CallContext()) return std::shared_ptr<const tool::CallContext>();
  return std::shared_ptr<const tool::CallContext>(std::move(given));
}

}  // namespace host::cli
