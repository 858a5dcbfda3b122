#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/fake_host.h"
#include "support/places.h"
#include "toolpost/ext/completion.h"
#include "toolpost/ext/resources.h"

namespace {

namespace fs = std::filesystem;

const std::string kHello = places::build().string() + "/plugins/hello.so";
const std::string kInvoices = places::build().string() + "/plugins/invoices.so";
const std::string kClock = places::build().string() + "/plugins/clock.so";

TEST(Hello, GivesTextBackWithItsEscapesResolved) {
  fake::Plugin plugin(kHello);
  EXPECT_EQ(plugin.answer("echo", R"({"text":"plain"})"), "plain");
  EXPECT_EQ(plugin.answer("echo", R"({"text":""})"), "");
  EXPECT_EQ(plugin.answer("echo", R"({ "text" : "a\"b\\c\/d\n\t\u00e9\u20ac\ud83d\ude00" })"),
            "a\"b\\c/d\n\t\u00e9\u20ac\U0001f600");
  EXPECT_EQ(plugin.answer("echo", R"({"te\u0078t":"named by an escape"})"), "named by an escape");
}

TEST(Hello, FindsItsMemberAmongOthersOfEveryKind) {
  fake::Plugin plugin(kHello);
  EXPECT_EQ(
      plugin.answer("greet", R"({"a":{"name":"inner"},"b":[1,-2.5e3,"name",null,{}],"c":true,)"
                             R"("name":"Ada"})"),
      "Hello, Ada!");
}

TEST(Hello, FailsForArgumentsThatTheHostWouldNotPass) {
  fake::Plugin plugin(kHello);
  EXPECT_EQ(plugin.answer("echo", R"({"text":7})"), "status -1");
  EXPECT_EQ(plugin.answer("echo", R"({"text":"\ud83d"})"), "status -1");
  EXPECT_EQ(plugin.answer("echo", R"({"a":]],"text":"x"})"), "status -1");
  EXPECT_EQ(plugin.answer("echo", R"({"other":"x"})"), "status -2");
}

class Invoices : public testing::Test {
 protected:
  Invoices() {
    std::string path = (fs::temp_directory_path() / "invoices-XXXXXX").string();
    root_ = ::mkdtemp(path.data());
  }
  ~Invoices() override { fs::remove_all(root_); }

  std::string config(const std::string& more = "") const {
    return "{\"folder\":\"" + (root_ / "shared").string() + "/\"" + more + "}";
  }
  std::string shared() const { return (root_ / "shared").string(); }
  std::string read(const std::string& name) const {
    std::ostringstream out;
    out << std::ifstream(root_ / "shared" / name).rdbuf();
    return out.str();
  }

  fs::path root_;
};

constexpr std::string_view kTwoRows =
    R"({"filename":"invoice-2024-001","rows":[{"date":"2024-01-15","amount":1250.00,"vendor":"Acme Corp"},)"
    R"({"date":"2024-01-16","amount":890.50,"vendor":"Widget Inc"}]})";

TEST_F(Invoices, DescribesItsToolAsAgreed) {
  fake::Plugin plugin(kInvoices, config());
  const tp_tool& tool = plugin.tool(plugin.index_of("save_csv"));
  EXPECT_EQ(fake::text(tool.description),
            "Save parsed invoice data as a CSV file to the shared drive");
  EXPECT_EQ(
      fake::text(tool.input_schema),
      R"({"type":"object","properties":{"filename":{"type":"string","description":)"
      R"("Output filename without extension"},"rows":{"type":"array","items":{"type":"object",)"
      R"("properties":{"date":{"type":"string"},"amount":{"type":"number"},"vendor":{"type":"string"}}}}},)"
      R"("required":["filename","rows"]})");
  EXPECT_EQ(tool.flags & TP_TOOL_READ_ONLY, 0u);
}

TEST_F(Invoices, SavesRowsAndTellsWhere) {
  fake::Plugin plugin(kInvoices, config());
  EXPECT_EQ(plugin.answer("save_csv", kTwoRows),
            "CSV saved to " + shared() + "/invoice-2024-001.csv (2 rows)");
  EXPECT_EQ(read("invoice-2024-001.csv"),
            "date,amount,vendor\r\n2024-01-15,1250,Acme Corp\r\n2024-01-16,890.5,Widget Inc\r\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(shared()), {}), 1)
      << "a temporary file stayed behind";
}

TEST_F(Invoices, QuotesWhatCsvMustQuoteAndLeavesGapsForAbsentMembers) {
  fake::Plugin plugin(kInvoices, config());
  plugin.answer("save_csv",
                R"({"filename":"q","rows":[{"vendor":"A \"B\", C\n"},{"amount":1e21},{}]})");
  EXPECT_EQ(read("q.csv"),
            "date,amount,vendor\r\n,,\"A \"\"B\"\", C\n\"\r\n,1000000000000000000000,\r\n,,\r\n");
}

TEST_F(Invoices, KeepsASpreadsheetFromRunningAVendorUnlessToldOtherwise) {
  const auto* args = R"json({"filename":"f","rows":[{"vendor":"=HYPERLINK(1)","amount":-5}]})json";
  {
    fake::Plugin plugin(kInvoices, config());
    plugin.answer("save_csv", args);
    EXPECT_EQ(read("f.csv"), "date,amount,vendor\r\n,-5,'=HYPERLINK(1)\r\n");
  }
  fake::Plugin plugin(kInvoices, config(",\"guard_formulas\":false"));
  plugin.answer("save_csv", args);
  EXPECT_EQ(read("f.csv"), "date,amount,vendor\r\n,-5,=HYPERLINK(1)\r\n");
}

TEST_F(Invoices, AFileNameCannotLeaveTheFolder) {
  fake::Plugin plugin(kInvoices, config());
  for (const char* name : {"", "..", "../x", "a/b", "/etc/x", ".hidden", "a\\\\b", "a\\u0000b"}) {
    const auto answer =
        plugin.answer("save_csv", "{\"filename\":\"" + std::string(name) + "\",\"rows\":[]}");
    EXPECT_TRUE(answer.starts_with("error: Failed to save CSV: filename "))
        << name << " -> " << answer;
  }
  EXPECT_FALSE(fs::exists(shared()));
}

TEST_F(Invoices, SaysWhyTheFolderCannotBeWritten) {
  std::ofstream(root_ / "shared").put('x');  // a file where the folder should be
  fake::Plugin plugin(kInvoices, config());
  EXPECT_EQ(plugin.answer("save_csv", kTwoRows),
            "error: Failed to save CSV: not a directory on " + shared() + "/");
}

TEST_F(Invoices, SaysThatPermissionIsDenied) {
  fs::create_directory(shared());
  ::chmod(shared().c_str(), 0555);
  ::chmod(root_.c_str(), 0755);
  fake::Plugin plugin(kInvoices, config());
  const bool root = ::geteuid() == 0;  // whom no mode keeps out
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const auto answer = plugin.answer("save_csv", kTwoRows);
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_EQ(answer, "error: Failed to save CSV: permission denied on " + shared() + "/");
}

TEST_F(Invoices, RefusesASettingOfTheWrongTypeAndSaysWhich) {
  fake::Plugin plugin(kInvoices, R"({"folder":7})");
  EXPECT_EQ(plugin.created(), TP_E_INVALID);
  ASSERT_EQ(plugin.host().log.size(), 1u);
  EXPECT_EQ(plugin.host().log[0], "setting /folder is not a string");
}

TEST(Clock, TellsTheTimeOfAZoneWithItsOffset) {
  fake::Plugin plugin(kClock);
  const auto answer = plugin.answer("get_current_time", R"({"timezone":"Asia/Kolkata"})");
  EXPECT_TRUE(answer.starts_with(R"({"timezone":"Asia/Kolkata","time":"2)")) << answer;
  EXPECT_TRUE(answer.ends_with(R"(+05:30","utc_offset":"+05:30"})")) << answer;
}

TEST(Clock, UsesItsSettingWhereTheCallNamesNoZone) {
  fake::Plugin plugin(kClock, R"({"timezone":"Asia/Tokyo"})");
  EXPECT_NE(plugin.answer("get_current_time", "{}").find("+09:00"), std::string::npos);
}

TEST(Clock, IsReadAsAResourceAndCompletesZones) {
  fake::Plugin plugin(kClock);
  fake::Call read;
  const auto* resources = plugin.extension<tp_resources_api>(TP_EXT_RESOURCES);
  EXPECT_EQ(resources->read(plugin.instance(), fake::str("time://Asia/Tokyo"), read.handle()),
            TP_OK);
  EXPECT_EQ(read.blocks.at(0).mime, "application/json");
  EXPECT_TRUE(read.only().ends_with(R"(+09:00","utc_offset":"+09:00"})")) << read.only();

  fake::Call complete;
  const auto* completion = plugin.extension<tp_completion_api>(TP_EXT_COMPLETION);
  completion->complete(plugin.instance(),
                       fake::str(R"({"ref":{"type":"ref/resource","uri":"time://{+zone}"},)"
                                 R"("argument":{"name":"zone","value":"berl"}})"),
                       complete.handle());
  EXPECT_EQ(complete.only(), R"({"values":["Europe/Berlin"],"hasMore":false})");
}

TEST(Clock, NamesAZoneThatDoesNotExist) {
  fake::Plugin plugin(kClock);
  for (const char* zone : {"Mars/Base", "", "/etc/localtime", "../etc/passwd", "libc:UTC"}) {
    EXPECT_EQ(plugin.answer("get_current_time", "{\"timezone\":\"" + std::string(zone) + "\"}"),
              "error: unknown time zone \"" + std::string(zone) +
                  "\": give an IANA name such as Europe/Berlin or UTC");
  }
}

}  // namespace
