#include <linux/filter.h>
#include <sys/syscall.h>

#include "sandbox/compile_filter.h"

#include <gtest/gtest.h>

#include "sandbox/call_name.h"

namespace host::sandbox {
namespace {

TEST(Filter, IsAWholeNumberOfInstructionsOfEveryKind) {
  for (unsigned bits = 0; bits < 64; ++bits) {
    const FilterKind kind{(bits & 1u) != 0, (bits & 2u) != 0,  (bits & 4u) != 0,
                          (bits & 8u) != 0, (bits & 16u) != 0, (bits & 32u) != 0};
    const auto filter = compile_filter(kind);
    ASSERT_TRUE(filter) << filter.error().message;
    EXPECT_GT(filter->size(), 50 * sizeof(sock_filter));
    EXPECT_LT(filter->size(), BPF_MAXINSNS * sizeof(sock_filter));
    EXPECT_EQ(filter->size() % sizeof(sock_filter), 0u);
  }
}

TEST(Filter, KnowsTheNamesOfSystemCalls) {
  EXPECT_EQ(name_of_system_call(SYS_ptrace), "ptrace");
  EXPECT_EQ(name_of_system_call(-1), "");
  EXPECT_EQ(name_of_system_call(123'456), "");
}

TEST(Filter, IsCompiledOnceForEachKind) {
  Filters filters;
  const std::string& plain = filters.of({});
  EXPECT_EQ(&plain, &filters.of({}));
  FilterKind writing;
  writing.write = true;
  EXPECT_NE(filters.of(writing), plain);
  Profile profile;
  profile.landlock_abi = 0;
  filters.give_to(profile);
  EXPECT_EQ(profile.filter, plain);
}

TEST(Filter, IsOfTheKindThatTheGrantsNeed) {
  Profile profile;
  profile.landlock_abi = 0;
  EXPECT_EQ(filter_kind(profile), FilterKind{});
  profile.fs = {{"/a", false}};
  profile.exec = true;
  EXPECT_EQ(filter_kind(profile), (FilterKind{false, true, false, false}));
  profile.fs.push_back({"/b", true});
  EXPECT_TRUE(filter_kind(profile).write);
}

}  // namespace
}  // namespace host::sandbox
