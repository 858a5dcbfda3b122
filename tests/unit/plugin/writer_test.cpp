#include "plugin/file/writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/unique_fd.h"
#include "plugin/lifecycle/side_file.h"

namespace host::plugin {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kOther = 65534;

class Writers : public ::testing::Test {
 protected:
  Writers() {
    std::string name = (fs::temp_directory_path() / "writer-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    fs::permissions(folder_, static_cast<fs::perms>(0755));
    std::ofstream(file()) << "timeout_s = 5\n";
    fs::permissions(file(), static_cast<fs::perms>(0644));
  }
  ~Writers() override { fs::remove_all(folder_); }

  fs::path file() const { return folder_ / "p.toml"; }
  UniqueFd opened() const { return UniqueFd(::open(file().c_str(), O_RDONLY | O_CLOEXEC)); }

  // A process of another user, which ends with 0 if `act` returns true.
  static pid_t as_other_user(const std::function<bool()>& act) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    const bool is_other =
        ::setresgid(kOther, kOther, kOther) == 0 && ::setresuid(kOther, kOther, kOther) == 0;
    ::_exit(is_other && act() ? 0 : 1);
  }
  static int exit_code_of(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  fs::path folder_;
};

TEST_F(Writers, AreSeenUntilTheyCloseTheFile) {
  const UniqueFd fd = opened();
  std::ofstream writer(file(), std::ios::app);
  EXPECT_EQ(writer_of(fd.get()), Writer::Some);
  writer.close();
  EXPECT_EQ(writer_of(fd.get()), Writer::None);
}

TEST_F(Writers, AreUnknownForAFileOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs a second user";
  const UniqueFd fd = opened();
  const auto is_unknown = [&fd] { return writer_of(fd.get()) == Writer::Unknown; };
  EXPECT_EQ(exit_code_of(as_other_user(is_unknown)), 0);
  std::ofstream writer(file(), std::ios::app);
  EXPECT_EQ(exit_code_of(as_other_user(is_unknown)), 0);
}

TEST_F(Writers, OfASideFileOfAnotherUserAreNoticedByItsChanges) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs a second user";
  const auto loads = [this](bool well) {
    return as_other_user([this, well] {
      const auto side = load_side_file(folder_ / "p.so");
      return well ? side && *side : !side && side.error().kind == ErrorKind::Unavailable;
    });
  };
  EXPECT_EQ(exit_code_of(loads(true)), 0);
  std::fstream writer(file());
  int status = 1;
  for (int i = 0; status != 0 && i < 1000;
       ++i) {  // on a busy machine, a load can fall between writes
    const pid_t child = loads(false);
    while (::waitpid(child, &status, WNOHANG) == 0) writer.seekp(0) << 't' << std::flush;
  }
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace host::plugin
