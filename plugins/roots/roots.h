// Folders that an operator granted, and the way to what lies beneath them.
//
// A path comes from a model, so it is never compared as a string and then opened: the folder is
// opened, and the kernel is told to go no further than beneath it and through no symbolic link
// (openat2; a walk of our own where that call is denied). No link means that the place which the
// host judged by its name is the place that is opened.
#pragma once

#include <string>
#include <vector>

#include "roots/fd.h"

// A path beneath a root, in clean parts: no "..", no ".", no empty one.
struct Place {
  std::string root;                // absolute, as the operator wrote it
  std::vector<std::string> parts;  // empty: the root itself

  std::string path() const;  // absolute
  std::string rest() const;  // beneath the root; "." for the root itself
  Place parent() const;      // of a place that is not the root
  Place below(const std::string& path) const;
  const std::string& name() const { return parts.back(); }
};

// "no such file or directory", as every message here has it.
std::string reason(int error);

// A path of a setting: absolute, or from "~/", which is expanded. Throws toolpost::Error that names
// the setting, such as "/roots of plugin files".
std::string path_of_setting(const std::string& written, const std::string& setting);

// Constant after it was made: any thread.
class Roots {
 public:
  // folders: absolute, or from "~/". plugin: whose settings they are, for messages. Throws
  // toolpost::Error for one that is neither.
  Roots(const std::vector<std::string>& folders, std::string plugin);

  const std::vector<std::string>& folders() const { return folders_; }

  // Throws toolpost::Error, which names the roots, for a path that is not absolute or beneath none.
  Place find(const std::string& path) const;

  // flags of open(2), mode where they make a file. -1 and errno where it cannot be opened.
  Fd open(const Place& place, int flags, unsigned mode = 0) const;
  // The same without openat2, for kernels and sandboxes that deny it.
  Fd walk(const Place& place, int flags, unsigned mode = 0) const;

  // What to tell of a place that could not be opened: `error` is errno. Names the symbolic link
  // where one was in the way.
  std::string explain(const Place& place, int error) const;

 private:
  std::string told() const;  // "the granted folders are ..."

  std::vector<std::string> folders_;
  std::vector<std::vector<std::string>> spellings_;  // of each folder: as written, and really
  std::string plugin_;
};
