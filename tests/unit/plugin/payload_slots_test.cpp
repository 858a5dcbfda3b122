// Large payloads, through the file that host and worker share: its two ends by themselves, then
// through real workers.
#include "plugin/wire/payload_slots.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "plugin/process/held_calls.h"
#include "support/places.h"
#include "unit/plugin/plugin_fixture.h"

namespace host::plugin {
namespace {

constexpr std::size_t kMiB = 1u << 20u;

// No piece of it is like another.
std::string text_of(std::size_t bytes, unsigned seed = 1) {
  std::string text(bytes, ' ');
  for (char& c : text) {
    seed = seed * 1664525u + 1013904223u;
    c = static_cast<char>('a' + (seed >> 24u) % 26);
  }
  return text;
}

class PayloadSlotsTest : public ::testing::Test {
 protected:
  PayloadSlotsTest() {
    host_.map(file_.get());
    worker_.map(file_.get());
  }

  static std::string taken(PayloadSlots& from, PayloadPiece piece) {
    std::string out;
    return from.take(piece, out) ? out : "nothing";
  }
  long long blocks() const {
    struct stat info {};
    return ::fstat(file_.get(), &info) == 0 ? info.st_blocks : -1;
  }

  const UniqueFd file_ = make_payload_file();
  PayloadSlots host_{PayloadSlots::End::Host};
  PayloadSlots worker_{PayloadSlots::End::Worker};
};

TEST_F(PayloadSlotsTest, AreAFileWhoseSizeNobodyChanges) {
  ASSERT_TRUE(file_);
  EXPECT_NE(::ftruncate(file_.get(), 0), 0);
  EXPECT_NE(::ftruncate(file_.get(), 2 * kPayloadFileBytes), 0);
  EXPECT_EQ(::pwrite(file_.get(), "x", 1, kPayloadFileBytes), -1);
  EXPECT_NE(::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_WRITE), 0);
}

TEST_F(PayloadSlotsTest, CarryBothWaysByteForByte) {
  const std::string mine = text_of(kPayloadSlotBytes);
  const auto piece = worker_.put(mine);
  ASSERT_TRUE(piece);
  EXPECT_TRUE(taken(host_, *piece) == mine);

  const std::string large = text_of(3 * kMiB + kLeastPayloadBytes);
  std::string_view rest = large;
  const std::vector<PayloadPiece> pieces = host_.put_begin(rest);
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_TRUE(rest.empty());
  std::string got = "before ";
  for (const PayloadPiece& one : pieces) ASSERT_TRUE(worker_.take(one, got));
  EXPECT_TRUE(got == "before " + large);
}

TEST_F(PayloadSlotsTest, LeaveWhatIsSmallToTheFrame) {
  EXPECT_FALSE(worker_.put(text_of(kLeastPayloadBytes - 1)));
  EXPECT_FALSE(worker_.put(text_of(kPayloadSlotBytes + 1)));
  const std::string large = text_of(kMiB + 100);
  std::string_view rest = large;
  EXPECT_EQ(host_.put_begin(rest).size(), 1u);
  EXPECT_EQ(rest, large.substr(kMiB));
}

TEST_F(PayloadSlotsTest, ThatAreFullTakeNothingUntilTheyAreTaken) {
  const std::string large = text_of(kLeastPayloadBytes);
  std::vector<PayloadPiece> put;
  for (unsigned i = 0; i < kPayloadSlots; ++i) {
    const auto piece = worker_.put(text_of(kLeastPayloadBytes, i));
    ASSERT_TRUE(piece);
    put.push_back(*piece);
  }
  EXPECT_FALSE(worker_.put(large));
  EXPECT_TRUE(taken(host_, put[3]) == text_of(kLeastPayloadBytes, 3));
  EXPECT_EQ(taken(host_, put[3]), "nothing");
  const auto again = worker_.put(large);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->slot, put[3].slot);
  EXPECT_TRUE(taken(host_, put[2]) == text_of(kLeastPayloadBytes, 2));
  EXPECT_TRUE(taken(host_, *again) == large);

  const std::string larger = text_of((kPayloadSlots + 2) * kMiB);
  std::string_view rest = larger;
  EXPECT_EQ(host_.put_begin(rest).size(), kPayloadSlots);
  EXPECT_EQ(rest.size(), 2 * kMiB);
}

TEST_F(PayloadSlotsTest, RefuseWhatIsNoPieceOfTheOtherEnd) {
  const std::uint32_t beyond = 2 * kPayloadSlots;
  ASSERT_EQ(worker_.put(text_of(kMiB))->slot, 0u);
  for (const PayloadPiece piece : {PayloadPiece{kPayloadSlots, 1},
                                   {beyond, 1},
                                   {~0u, 1},
                                   {0, 0},
                                   {0, kPayloadSlotBytes + 1},
                                   {0, ~0u}}) {
    std::string out = "as it was";
    EXPECT_FALSE(host_.take(piece, out)) << piece.slot;
    EXPECT_EQ(out, "as it was");
  }
  for (const PayloadPiece piece : {PayloadPiece{0, 1}, {beyond, 1}, {kPayloadSlots, 0}}) {
    EXPECT_EQ(taken(worker_, piece), "nothing") << piece.slot;
  }
}

TEST_F(PayloadSlotsTest, GiveTheirMemoryBack) {
  const auto piece = worker_.put(text_of(kMiB));
  ASSERT_TRUE(piece);
  taken(host_, *piece);
  EXPECT_GE(blocks(), static_cast<long long>(kMiB / 512));
  host_.trim();
  EXPECT_LE(blocks(), static_cast<long long>(kPayloadHeaderBytes / 512));
  const std::string large = text_of(kMiB, 2);
  std::string_view rest = large;
  ASSERT_EQ(host_.put_begin(rest).size(), 1u);  // of what it put alone, too
  host_.trim();
  EXPECT_LE(blocks(), static_cast<long long>(kPayloadHeaderBytes / 512));
  const auto next = worker_.put(large);
  ASSERT_TRUE(next);
  EXPECT_TRUE(taken(host_, *next) == large);
}

TEST(PayloadSlots, WithoutAFileTakeNothing) {
  for (const auto end : {PayloadSlots::End::Host, PayloadSlots::End::Worker}) {
    PayloadSlots slots(end);
    slots.map(-1);
    EXPECT_FALSE(slots.put(text_of(kMiB)));
    std::string out;
    EXPECT_FALSE(slots.take({0, 1}, out));
    EXPECT_FALSE(slots.take({kPayloadSlots, 1}, out));
    slots.trim();
  }
}

// What a worker's frames say of slots.
class PayloadFrames : public PayloadSlotsTest {
 protected:
  PayloadFrames() {
    auto call = std::make_shared<tool::Invocation>();
    call->set_on_finish([this](Result<tool::CallResult> result) { answer_ = std::move(result); });
    calls_.begin(std::move(call), false, out_);
  }
  static std::string record(std::uint32_t kind, const std::string& bytes) {
    std::string out;
    append_record(out, {kind, 0, {}, bytes});
    return out;
  }
  static std::string place(PayloadPiece piece) {
    std::string out;
    append_piece(out, piece);
    return out;
  }
  Result<void> push(const std::string& records) {
    return calls_.push({FrameType::Push, 0, 1, records});
  }

  std::string out_;
  std::optional<Result<tool::CallResult>> answer_;
  HeldCalls calls_{16 * kMiB, host_};
};

TEST_F(PayloadFrames, MixWithThoseThatBringTheirBytes) {
  const std::string one = text_of(kLeastPayloadBytes, 1);
  const std::string three = text_of(kLeastPayloadBytes, 3);
  const auto first = worker_.put(one);
  const auto third = worker_.put(three);
  constexpr std::uint32_t kMore = TP_TEXT | Record::kContinued;
  ASSERT_TRUE(push(record(kMore | Record::kInSlot, place(*first))));
  ASSERT_TRUE(push(record(kMore, " two ") + record(TP_TEXT | Record::kInSlot, place(*third))));
  ASSERT_TRUE(calls_.done({FrameType::Done, 0, 1, std::string(4, '\0')}));
  ASSERT_TRUE(answer_ && *answer_);
  EXPECT_TRUE((*answer_)->content == R"({"type":"text","text":")" + one + " two " + three + "\"}");
}

TEST_F(PayloadFrames, ThatNameNoPieceAreAFault) {
  constexpr std::uint32_t kKind = TP_TEXT | Record::kInSlot;
  EXPECT_FALSE(push(record(kKind, "short")));
  EXPECT_FALSE(push(record(kKind, place({0, 1}) + "x")));
  EXPECT_FALSE(push(record(kKind, place({kPayloadSlots, 1}))));
  EXPECT_FALSE(push(record(kKind, place({0, kPayloadSlotBytes + 1}))));
}

TEST_F(PayloadFrames, AreHeldToTheLimitOfAResult) {
  Result<void> taken;
  int pieces = 0;
  for (; taken && pieces < 100; ++pieces) {
    const auto piece = worker_.put(text_of(kMiB));
    ASSERT_TRUE(piece);
    taken = push(record(TP_TEXT | Record::kInSlot | Record::kContinued, place(*piece)));
  }
  EXPECT_FALSE(taken);
  EXPECT_EQ(pieces, 33);
}

class LargePayloads : public PluginTest {
 protected:
  LargePayloads() {
    options_.ping_every = 200ms;
    install_file(places::build() / "plugins/hello.so", "hello");
  }
  std::string greeting(std::size_t bytes) {  // on a thread of the worker's
    return text("greet", R"({"name":")" + text_of(bytes) + "\"}");
  }
  std::string echo(std::size_t bytes, unsigned seed = 1) {  // on its reader
    return text("echo", R"({"text":")" + text_of(bytes, seed) + "\"}");
  }
  // Of the shared file, in the worker's memory.
  long shared_kib() {
    std::ifstream maps("/proc/" + std::to_string(status("hello").pid) + "/smaps");
    bool ours = false;
    for (std::string line; std::getline(maps, line);) {
      if (line.find("memfd:toolpost-payloads") != std::string::npos) ours = true;
      if (ours && line.starts_with("Rss:")) return std::stol(line.substr(4));
    }
    return -1;
  }
};

TEST_F(LargePayloads, ComeWholeAtEverySize) {
  start();
  for (const std::size_t bytes :
       {std::size_t{0}, kLeastPayloadBytes - 11, kLeastPayloadBytes, kMiB - 12, kMiB - 11, kMiB,
        kMiB + 1, 5 * kMiB + 3, 8 * kMiB - 11, 8 * kMiB, 15 * kMiB}) {
    EXPECT_TRUE(echo(bytes) == text_of(bytes)) << bytes;
    EXPECT_TRUE(greeting(bytes) == "Hello, " + text_of(bytes) + "!") << bytes;
  }
}

TEST_F(LargePayloads, ComeWholeWhereThereAreMoreThanSlots) {
  start();
  std::vector<Running> running;
  for (unsigned i = 0; i < 24; ++i) {
    const std::string tool = i % 2 == 0 ? "echo" : "greet";
    const std::string member = i % 2 == 0 ? "text" : "name";
    running.push_back(begin(tool, "{\"" + member + "\":\"" + text_of(2 * kMiB, i) + "\"}"));
  }
  for (unsigned i = 0; i < running.size(); ++i) {
    const Answer answer = finish(running[i]);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_NE(answer->content.find(text_of(2 * kMiB, i)), std::string::npos) << i;
  }
}

TEST_F(LargePayloads, GoByTheSharedFileWhichIsEmptiedAfterwards) {
  start();
  echo(1000);
  EXPECT_EQ(shared_kib(), 0);
  echo(3 * kMiB);
  EXPECT_GE(shared_kib(), 6 * 1024);  // both ways
  EXPECT_TRUE(run_until([&] { return shared_kib() <= 4; }));
  EXPECT_TRUE(echo(kMiB, 2) == text_of(kMiB, 2));
}

TEST_F(LargePayloads, ComeWholeFromTheWorkerAfterOneThatDied) {
  start();
  EXPECT_TRUE(echo(kMiB) == text_of(kMiB));
  ::kill(status("hello").pid, SIGKILL);
  ASSERT_TRUE(run_until([&] { return status("hello").pid == 0; }));
  EXPECT_TRUE(echo(kMiB, 2) == text_of(kMiB, 2));
}

}  // namespace
}  // namespace host::plugin
