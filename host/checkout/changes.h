// Writes a diff of the changed skills that wait for a reviewer's acceptance.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "checkout/git.h"
#include "checkout/versions.h"
#include "store/part/pin_store.h"

namespace host::checkout {

// Whole::Yes means that the diff shows the whole change of each skill. If a change has more than
// 256 MiB, the function returns an Error. Whole::No means that the diff shows at most the first 400
// lines and 64 KiB of the change of each skill. When the changes of several skills have reached 1
// MiB together, the diff shows no further skill.
enum class Whole { No, Yes };

struct SkillChange {
  std::string skill;    // the skill's folder in the repository
  bool is_new = false;  // true: no version of the skill was accepted before
  std::string digest;   // the digest of the waiting version
  WallTime since{};
  std::vector<std::string> lines;  // form of `git diff`, with marked invisible characters
  bool is_cut = false;             // true: lines are missing; the last line says how many, or why
};

// Compares the accepted and the waiting version of each skill in `held`. The function blocks.
// Any thread can call the function.
Result<std::vector<SkillChange>> changes_of(const std::vector<store::PinRecord>& held,
                                            const Versions& versions,
                                            const std::filesystem::path& work, const Git& git,
                                            Whole whole);

// Returns the changes as JSON:
// {"repository":NAME,"digest":"sha256:...","changes":[{"skill","new","digest","cut","since",
// "diff":[...]}]}.
// If the diff of a skill is incomplete, the digest of this skill and the digest of the whole change
// are empty. Accepting a change needs the digest, so nobody can accept a change that the diff shows
// only in part.
std::string as_json(const std::string& repository, const std::string& digest,
                    const std::vector<SkillChange>& changes);

}  // namespace host::checkout
