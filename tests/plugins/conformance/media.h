// The smallest files that are whole.
#pragma once

#include <string>

std::string red_pixel_png();
std::string short_silence_wav();
