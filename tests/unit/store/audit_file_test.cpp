#include "store/audit/file.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "store/audit/parts.h"
#include "store/audit/table.h"
#include "store/audit/verify.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

class AuditFileTest : public testing::Test {
 protected:
  AuditFileTest() {
    std::string name = (fs::temp_directory_path() / "audit-file-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    file_ = folder_ / "audit.jsonl";
  }
  ~AuditFileTest() override { fs::remove_all(folder_); }

  std::unique_ptr<AuditFile> open(std::uint64_t bytes = 1u << 30u) const {
    return AuditFile::open(file_, system_clock(), {bytes, std::chrono::hours(1)}).value();
  }
  static std::string line(int number) { return R"({"tool":"t)" + std::to_string(number) + "\"}\n"; }
  static void append(AuditFile& file, int from, int to) {
    for (int i = from; i < to; ++i) ASSERT_TRUE(file.append(line(i)));
  }
  AuditVerdict verdict() const { return verify_audit(file_).value(); }
  static std::string content(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void put(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
  }
  fs::path mark() const { return audit_mark_file(file_); }
  std::vector<std::string> rows() const {
    AuditQuery all;
    all.limit = 1000;
    return search_audit(file_, 1000, all).value().lines;
  }

  fs::path folder_;
  fs::path file_;
};

TEST_F(AuditFileTest, NumbersAndChainsLinesOfSeveralProcesses) {
  const auto one = open();
  const auto other = open();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE((i % 3 == 0 ? one : other)->append(line(i) + line(i)));
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 20u);
  EXPECT_TRUE(content(file_).starts_with(R"({"tool":"t0","seq":1,"chain":")"));
  EXPECT_EQ(verdict().digest.size(), 43u);
}

TEST_F(AuditFileTest, ShowsEveryChangeOfALine) {
  append(*open(), 0, 5);
  const std::string good = content(file_);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < good.size(); at = good.find('\n', at) + 1)
    lines.push_back(good.substr(at, good.find('\n', at) + 1 - at));
  ASSERT_EQ(lines.size(), 5u);
  const auto changed = [&](const std::vector<std::string>& now) {
    std::string text;
    for (const std::string& one : now) text += one;
    put(file_, text);
    return verdict().fault;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto now = lines;
    now[i][10] = 'x';
    EXPECT_NE(changed(now), "") << "edited " << i;
    now = lines;
    now.erase(now.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(changed(now), "") << "removed " << i;
    now = lines;
    now.insert(now.begin() + static_cast<std::ptrdiff_t>(i), lines[i]);
    EXPECT_NE(changed(now), "") << "doubled " << i;
    now = lines;
    std::swap(now[i], now[(i + 1) % lines.size()]);
    EXPECT_NE(changed(now), "") << "swapped " << i;
    now = lines;
    if (i + 1 < lines.size()) {
      now.insert(now.begin() + static_cast<std::ptrdiff_t>(i + 1), "{\"tool\":\"forged\"}\n");
      EXPECT_NE(changed(now), "") << "inserted after " << i;
    }
    now.resize(i);
    EXPECT_NE(changed(now).find("its end was cut off"), std::string::npos) << "cut to " << i;
  }
  for (std::size_t at = 0; at + 1 < good.size(); at += 7) {
    std::string text = good;
    text[at] = static_cast<char>(text[at] ^ 1);
    put(file_, text);
    EXPECT_NE(verdict().fault, "") << "bit at " << at;
  }
  EXPECT_EQ(changed(lines), "");
}

TEST_F(AuditFileTest, ACutShowsAlsoAfterMoreLinesWereWritten) {
  append(*open(), 0, 5);
  const std::string good = content(file_);
  put(file_, good.substr(0, good.size() / 2));
  append(*open(), 5, 8);
  EXPECT_NE(verdict().fault, "");
  put(file_, "");
  append(*open(), 8, 9);
  EXPECT_NE(verdict().fault, "");
}

TEST_F(AuditFileTest, GoesOnWithTheChainOverFiles) {
  const auto writer = open(500);
  append(*writer, 0, 40);
  const auto parts = audit_parts(file_);
  ASSERT_GT(parts.size(), 3u);
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 40u);
  EXPECT_EQ(verdict().files, parts.size() + 1);
  ASSERT_TRUE(compress_part(parts[1].file));
  EXPECT_FALSE(fs::exists(parts[1].file));
  EXPECT_EQ(fs::status(compressed(parts[1].file)).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 40u);
  fs::remove(parts[2].file);
  EXPECT_NE(verdict().fault.find("lines between them were removed"), std::string::npos);
  for (std::size_t i = 0; i < 2; ++i) {
    fs::remove(parts[i].file);
    fs::remove(compressed(parts[i].file));
  }
  const AuditVerdict shorter = verdict();
  EXPECT_GT(shorter.first, 1u);
  EXPECT_NE(shorter.fault, "") << "the oldest was taken away";
  EXPECT_EQ(verify_audit(file_, {}, shorter.first)->fault, "") << "and that was wanted";
  EXPECT_NE(verify_audit(file_, {}, shorter.first - 1)->fault, "");
}

TEST_F(AuditFileTest, AWriterSeesWhatOthersDidSinceItsLastLine) {
  const auto writer = open();
  append(*writer, 0, 3);
  append(*open(), 3, 5);
  append(*writer, 5, 7);
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 7u);
  fs::rename(file_, audit_part(file_, 1));  // who rotated was killed before the mark was written
  append(*writer, 7, 9);
  EXPECT_EQ(audit_parts(file_).size(), 1u);
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 9u);
  std::ofstream(file_, std::ios::app) << R"({"tool":"t9)";  // killed within a line
  append(*writer, 9, 11);
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 11u);
  const std::string whole = content(file_);
  put(file_,
      whole.substr(0, whole.rfind('\n', whole.size() - 2) + 1));  // its last line was cut off
  append(*writer, 11, 12);
  EXPECT_NE(verdict().fault, "");
}

TEST_F(AuditFileTest, AWriterRotatesAFileThatOnlyItWritesTo) {
  const auto writer = open(500);
  append(*writer, 0, 3);
  put(audit_part(file_, 1), "");  // somebody's file has the name that the next part gets
  append(*writer, 3, 12);
  EXPECT_TRUE(fs::exists(audit_part(file_, 2)));
  EXPECT_EQ(content(audit_part(file_, 1)), "");
}

TEST_F(AuditFileTest, ReportsItsOwnRotationsAndThoseOfOtherWritersAsNoReplacement) {
  const auto one = open(500);
  const auto other = open(500);
  append(*one, 0, 1);
  append(*other, 1, 2);
  testing::internal::CaptureStderr();
  append(*one, 2, 12);
  append(*other, 12, 13);
  append(*other, 13, 22);
  append(*one, 22, 23);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(audit_parts(file_).size(), 3u);
  fs::rename(file_, file_.string() + ".away");
  testing::internal::CaptureStderr();
  append(*one, 23, 24);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("renamed, removed or replaced"),
            std::string::npos);
}

TEST_F(AuditFileTest, RotatesByAgeToo) {
  const auto writer = AuditFile::open(file_, system_clock(), {1u << 30u, std::chrono::hours(0)});
  append(**writer, 0, 3);
  EXPECT_EQ(audit_parts(file_).size(), 2u);
  EXPECT_EQ(verdict().fault, "");
}

// A kill leaves what was done up to one of its steps.
TEST_F(AuditFileTest, AKillAtAnyStepLosesNothingAndKeepsTheChain) {
  append(*open(), 0, 3);
  const std::string old_mark = content(mark());
  append(*open(), 3, 6);
  put(mark(), old_mark);  // the lines were written, their end was not noted
  append(*open(), 6, 7);
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 7u);

  put(file_, content(file_) + R"({"tool":"cut o)");  // a line was begun
  EXPECT_EQ(verdict().fault, "");
  append(*open(), 7, 9);
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 9u);
  EXPECT_EQ(verdict().loose, 1u);

  fs::rename(file_, audit_part(file_, 1));  // rotated, and not noted
  EXPECT_EQ(verdict().fault, "");
  append(*open(), 9, 10);
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 10u);

  fs::rename(file_, audit_part(file_, 2));  // and with lines behind the mark
  put(mark(), old_mark);
  append(*open(), 10, 12);
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 12u);
}

// Within it files end where the limit says, as on a full disk; and this thread cannot cut one back,
// as where it only grows (chattr +a).
class FullDiskThatOnlyGrows {
 public:
  explicit FullDiskThatOnlyGrows(std::uint64_t file_bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit full{file_bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &full);
  }
  ~FullDiskThatOnlyGrows() { ::setrlimit(RLIMIT_FSIZE, &before_); }

  static bool refuse_to_cut() {
    sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_ftruncate, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{std::size(rules), rules};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  rlimit before_{};
};

TEST_F(AuditFileTest, HalfALineThatCannotBeCutAwayIsEndedBeforeTheNext) {
  const auto writer = open();
  append(*writer, 0, 2);
  const std::string lines = line(2) + line(3) + line(4);
  const std::uint64_t one = fs::file_size(file_) / 2;
  std::size_t kept = 0;
  std::thread([&] {
    const FullDiskThatOnlyGrows disk(fs::file_size(file_) + one + one / 2);
    ASSERT_TRUE(FullDiskThatOnlyGrows::refuse_to_cut());
    testing::internal::CaptureStderr();
    EXPECT_FALSE(writer->append(lines, &kept));
    EXPECT_NE(testing::internal::GetCapturedStderr().find("cannot be cut back"), std::string::npos);
  }).join();
  EXPECT_EQ(kept, line(2).size()) << "it is whole, and must not be written again";
  ASSERT_TRUE(writer->append(lines.substr(kept)));
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 5u);
  EXPECT_EQ(verdict().loose, 1u) << "half a line, on a line of its own";
  EXPECT_EQ(rows().size(), 5u);
}

TEST_F(AuditFileTest, AKilledCompressionIsTakenUpAgain) {
  append(*open(500), 0, 20);
  const fs::path part = audit_parts(file_).front().file;
  const std::string plain = content(part);
  put(compressed(part).string() + ".new", "half a file");
  ASSERT_TRUE(compress_part(part));
  EXPECT_FALSE(fs::exists(compressed(part).string() + ".new"));
  put(part, plain);  // killed before the plain one was removed
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 20u);
  ASSERT_TRUE(compress_part(part));
  EXPECT_EQ(verdict().last, 20u);
  std::string damaged = content(compressed(part));
  put(compressed(part), damaged.substr(0, damaged.size() / 2));
  EXPECT_FALSE(verify_audit(file_)) << "half of a compressed file is damage";
}

TEST_F(AuditFileTest, LosesNoLineWhereSeveralWriteAndRotate) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      const auto writer = open(2000);
      append(*writer, t * 100, t * 100 + 100);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 400u);
  EXPECT_EQ(rows().size(), 400u);
}

TEST_F(AuditFileTest, TheTableTakesEachLineOnceAcrossFiles) {
  const auto writer = open(1000);
  int written = 0;
  auto table = AuditTable::open(file_, 1000).value();
  for (int round = 0; round < 12; ++round) {
    append(*writer, written, written + 7);
    written += 7;
    const auto filled = table.fill();
    ASSERT_TRUE(filled);
    EXPECT_TRUE(filled->whole);
    for (const AuditPart& part : audit_parts(file_)) {
      if (part.number < filled->number && round % 2 == 0) {
        ASSERT_TRUE(part.is_compressed || compress_part(part.file));
      }
    }
  }
  EXPECT_GT(audit_parts(file_).size(), 4u);
  EXPECT_EQ(rows().size(), static_cast<std::size_t>(written));
  EXPECT_NE(rows().front().find("\"t" + std::to_string(written - 1) + "\""), std::string::npos);
}

TEST_F(AuditFileTest, TakesOverAFileFromBeforeThereWasAChain) {
  put(file_, "{\"tool\":\"old\"}\n{\"tool\":\"older\"}\n");
  fs::permissions(file_, fs::perms::owner_read | fs::perms::owner_write);
  append(*open(), 0, 2);
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().loose, 2u);
  EXPECT_EQ(verdict().last, 2u);
  std::string text = content(file_);
  text[10] = 'x';
  put(file_, text);
  EXPECT_NE(verdict().fault, "") << "from then on the old lines are held too";
}

TEST_F(AuditFileTest, AMissingMarkShows) {
  append(*open(), 0, 2);
  fs::remove(mark());
  EXPECT_NE(verdict().fault.find(".chain"), std::string::npos);
}

TEST_F(AuditFileTest, AnAuditThatIsNotThereIsMissing) {
  const auto state = [&] { return verify_audit(file_, folder_ / "store.db").value(); };
  EXPECT_EQ(state().state, AuditState::Missing);
  EXPECT_NE(state().fault.find("no host ran"), std::string::npos) << state().fault;
  put(folder_ / "store.db", "");
  EXPECT_NE(state().fault.find("store.db shows that a host ran"), std::string::npos);
  append(*open(), 0, 3);
  EXPECT_EQ(state().state, AuditState::Ok);
  fs::remove(file_);
  EXPECT_EQ(state().state, AuditState::Missing);
  EXPECT_NE(state().fault.find("3 lines were written"), std::string::npos) << state().fault;
  fs::remove(mark());
  EXPECT_EQ(state().state, AuditState::Missing);
}

TEST_F(AuditFileTest, AnAuditWithoutALineIsOkUnlessItsTableHasLines) {
  open();
  EXPECT_EQ(verdict().state, AuditState::Ok);
  append(*open(), 0, 2);
  EXPECT_EQ(rows().size(), 2u);
  put(file_, "");
  put(mark(), "");
  EXPECT_EQ(verdict().state, AuditState::Changed);
}

TEST_F(AuditFileTest, AWholeLineWithoutADigestAfterOneWithADigestShows) {
  append(*open(), 0, 2);
  const std::string good = content(file_);
  for (const std::string added : {"{\"tool\":\"forged\"}\n", "[]\n", "forged\n", "  {}\n"}) {
    put(file_, good + added);
    EXPECT_EQ(verdict().state, AuditState::Changed) << added;
    EXPECT_TRUE(verdict().fault.starts_with("line 3 of audit.jsonl: has no digest")) << added;
  }
  append(*open(), 2, 3);
  EXPECT_EQ(verdict().state, AuditState::Changed) << "also where the host wrote after it";
}

TEST_F(AuditFileTest, TheLineThatMustBeThereIsLookedFor) {
  append(*open(), 0, 3);
  EXPECT_EQ(verify_audit(file_, {}, 3)->state, AuditState::Ok);
  EXPECT_EQ(verify_audit(file_, {}, 4)->state, AuditState::Missing);
  EXPECT_EQ(verify_audit(file_, {}, 4)->fault,
            "the audit ends with number 3, but number 4 must be there");
}

TEST_F(AuditFileTest, InAFileThatIsNotTheFirstNoLineIsWithoutADigest) {
  append(*open(200), 0, 8);
  fs::remove(audit_parts(file_).front().file);
  const std::uint64_t from = verdict().first;
  ASSERT_EQ(verify_audit(file_, {}, from)->state, AuditState::Ok);
  const fs::path first = audit_parts(file_).front().file;
  put(first, "{\"tool\":\"forged\"}\n" + content(first));
  EXPECT_EQ(verify_audit(file_, {}, from)->state, AuditState::Changed);
}

TEST_F(AuditFileTest, AFileThatNeverHadDigestsHasAVerdictOfItsOwn) {
  put(file_, "{\"tool\":\"old\"}\n{\"tool\":\"older\"}\n");
  EXPECT_EQ(verdict().state, AuditState::NoDigests);
  EXPECT_EQ(verdict().loose, 2u);
}

TEST_F(AuditFileTest, ALineThatLacksItsLineFeedAloneIsALine) {
  append(*open(), 0, 3);
  const std::string all = content(file_);
  const std::string noted = content(mark());
  append(*open(), 3, 4);
  put(mark(), noted);
  put(file_, content(file_).substr(0, content(file_).size() - 1));
  append(*open(), 4, 5);
  EXPECT_EQ(verdict().fault, "");
  EXPECT_EQ(verdict().last, 5u);
  EXPECT_EQ(verdict().loose, 0u);
}

}  // namespace
}  // namespace host::store
