// A short name for the SDK's own host for tests of plugins.
#pragma once

#include "toolpost/testing.hpp"

namespace fake = toolpost::testing;
