// Attachments by their descriptor (tp.attachments/1, open).
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "services.h"

namespace {

using toolpost::Attachment;
using toolpost::AttachmentFile;
using toolpost::Context;
using toolpost::Error;

struct Which {
  std::string id;
  TOOLPOST_FIELDS(Which, TOOLPOST_FIELD(id))
};

std::string word_of(int code) {
  return code == 0 ? "allowed" : ::strerrorname_np(code);
}

std::string read_whole(int file) {
  std::string all;
  char piece[1u << 16u];
  for (;;) {
    const ssize_t count = ::read(file, piece, sizeof piece);
    if (count < 0) throw Error("read: " + word_of(errno));
    if (count == 0) return all;
    all.append(piece, static_cast<std::size_t>(count));
  }
}

std::string read_opened(const Which& args, Context& call) {
  return read_whole(call.attachments().open(args.id).descriptor());
}

// Two descriptors of a file: their flags, their offsets, and what may be done with them.
std::string try_opened(const Which& args, Context& call) {
  const AttachmentFile one = call.attachments().open(args.id);
  const AttachmentFile other = call.attachments().open(args.id);
  const int flags = ::fcntl(one.descriptor(), F_GETFL);
  char byte = 0;
  std::string told = "mode " + std::string((flags & O_ACCMODE) == O_RDONLY ? "read" : "other");
  told += (::fcntl(one.descriptor(), F_GETFD) & FD_CLOEXEC) != 0 ? ", close on exec" : "";
  told += ", write " + word_of(::write(one.descriptor(), "x", 1) < 0 ? errno : 0);
  told += ", truncate " + word_of(::ftruncate(one.descriptor(), 0) < 0 ? errno : 0);
  void* const shared = ::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, one.descriptor(), 0);
  told += ", map to write " + word_of(shared == MAP_FAILED ? errno : 0);
  told += ", read " + std::to_string(::read(one.descriptor(), &byte, 1));
  told += ", offsets " + std::to_string(::lseek(one.descriptor(), 0, SEEK_CUR)) + " " +
          std::to_string(::lseek(other.descriptor(), 0, SEEK_CUR));
  return told;
}

// Opens the file by the name of its descriptor, for writing.
std::string reopen(const Which& args, Context& call) {
  const AttachmentFile file = call.attachments().open(args.id);
  const std::string path = "/proc/self/fd/" + std::to_string(file.descriptor());
  const int again = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (again < 0) return word_of(errno);
  ::close(again);
  return "opened";
}

// FNV-1a of 64 bits, of the mapped file: the test computes the same.
std::string map_opened(const Which& args, Context& call) {
  const AttachmentFile file = call.attachments().open(args.id);
  struct stat about {};
  if (::fstat(file.descriptor(), &about) != 0) throw Error("fstat: " + word_of(errno));
  const auto bytes = static_cast<std::size_t>(about.st_size);
  void* const at = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (at == MAP_FAILED) throw Error("mmap: " + word_of(errno));
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto* const first = static_cast<const unsigned char*>(at);
  std::for_each(first, first + bytes,
                [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3u; });
  ::munmap(at, bytes);
  return std::to_string(bytes) + " " + std::to_string(hash);
}

struct Many {
  std::string id;
  int times = 0;
  bool keep = false;  // all open at once
  TOOLPOST_FIELDS(Many, TOOLPOST_FIELD(id), TOOLPOST_FIELD(times),
                  TOOLPOST_FIELD(keep, "", toolpost::defaulted))
};

// How many could be opened, and why not more.
std::string open_many(const Many& args, Context& call) {
  std::vector<AttachmentFile> kept;
  for (int opened = 0; opened < args.times; ++opened) {
    try {
      AttachmentFile file = call.attachments().open(args.id);
      if (args.keep) kept.push_back(std::move(file));
    } catch (const toolpost::ServiceError& error) {
      return std::to_string(opened) + ": " + std::to_string(error.status()) + " " + error.what();
    }
  }
  return std::to_string(args.times) + " opened";
}

std::optional<AttachmentFile>& kept_file() {
  static std::optional<AttachmentFile> file;
  return file;
}

std::string keep_open(const Which& args, Context& call) {
  kept_file() = call.attachments().open(args.id);
  return "kept";
}

// In a later call.
std::string read_kept() {
  const std::string all = read_whole(kept_file().value().descriptor());
  kept_file().reset();
  return all;
}

// Asks without waiting for the answers, and ends: nobody takes the descriptors any more.
std::string open_and_leave(const Many& args, Context& call) {
  const auto* const api = call.host().extension<tp_attachments_api>(TP_EXT_ATTACHMENTS);
  const tp_reply reply = {sizeof(tp_reply), 0, nullptr, [](void*, const tp_answer* answer) {
                            if (answer->status == TP_OK) ::close(static_cast<int>(answer->number));
                          }};
  int accepted = 0;
  for (int i = 0; i < args.times; ++i)
    accepted +=
        api->open(call.host().id(), call.id(), {args.id.data(), args.id.size()}, &reply) == TP_OK;
  return std::to_string(accepted) + " asked";
}

std::string count_descriptors() {
  int open = 0;
  for (int file = 0; file < 1024; ++file) open += ::fcntl(file, F_GETFD) >= 0 ? 1 : 0;
  return std::to_string(open);
}

}  // namespace

Services with_opened(Services plugin) {
  return std::move(plugin)
      .tool("opened_read", "Reads an attachment by its descriptor", read_opened,
            {.read_only = true})
      .tool("opened_tried", "Tries a descriptor", try_opened, {.read_only = true})
      .tool("opened_again", "Opens a descriptor by its name", reopen, {.read_only = true})
      .tool("opened_mapped", "Hashes a mapped attachment", map_opened, {.read_only = true})
      .tool("opened_many", "Opens an attachment many times", open_many, {.read_only = true})
      .tool("opened_kept", "Keeps an attachment open", keep_open, {.read_only = true})
      .tool("opened_later", "Reads the attachment that was kept open", read_kept,
            {.read_only = true})
      .tool("opened_left", "Asks for descriptors and ends", open_and_leave, {.read_only = true})
      .tool("descriptors", "Counts the open descriptors", count_descriptors, {.read_only = true});
}
