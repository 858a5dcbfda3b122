// The folders of this build and of its sources. They are not part of the compile commands, so that
// a compiler cache can be shared between checkouts.
#pragma once

#include <filesystem>

namespace places {

const std::filesystem::path& source();    // the root of the checkout
const std::filesystem::path& build();     // build/PRESET: libraries in plugins/ and tests/plugins/
const std::filesystem::path& testdata();  // public test suites, see tests/README.md

}  // namespace places
