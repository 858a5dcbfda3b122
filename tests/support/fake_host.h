// The SDK's own host for tests of plugins, by a short name.
#pragma once

#include "toolpost/testing.hpp"

namespace fake = toolpost::testing;
