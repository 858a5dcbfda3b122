// Where this build and its sources are. Not in the compile commands: so a compiler cache serves
// every checkout.
#pragma once

#include <filesystem>

namespace places {

const std::filesystem::path& source();    // the root of the checkout
const std::filesystem::path& build();     // build/PRESET: libraries in plugins/ and tests/plugins/
const std::filesystem::path& testdata();  // public test suites, see tests/README.md

}  // namespace places
