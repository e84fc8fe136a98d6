#include "data/sound/wav_file.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/file_kind.h"
#include "data/files/random_access_file.h"

// Of miniaudio only the reader of WAV files: no devices, no threads, no other formats.
#define MINIAUDIO_IMPLEMENTATION
#define MA_API static
#define MA_NO_DEVICE_IO
#define MA_NO_THREADING
#define MA_NO_ENGINE
#define MA_NO_NODE_GRAPH
#define MA_NO_RESOURCE_MANAGER
#define MA_NO_GENERATION
#define MA_NO_ENCODING
#define MA_NO_FLAC
#define MA_NO_MP3
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <miniaudio.h>
#pragma GCC diagnostic pop

namespace preon {

namespace {

// What the decoder reads from.
struct Input {
  RandomAccessFile file;
  uint64_t position = 0;
  Status failure = Status::Ok();  // of the last read
};

size_t ReadSome(void* user, void* to, size_t wanted) {
  Input& input = *static_cast<Input*>(user);
  const uint64_t size_bytes = input.file.size_bytes();
  const size_t count = input.position < size_bytes ? std::min<uint64_t>(wanted, size_bytes - input.position) : 0;
  input.failure = input.file.ReadAt(input.position, std::span(static_cast<std::byte*>(to), count));
  if (!input.failure.ok()) return 0;
  input.position += count;
  return count;
}

// Where a file ends the decoder learns from reads that come back short.
ma_bool32 Seek(void* user, int offset, ma_dr_wav_seek_origin origin) {
  Input& input = *static_cast<Input*>(user);
  const int64_t from = origin == MA_DR_WAV_SEEK_SET   ? 0
                       : origin == MA_DR_WAV_SEEK_CUR ? static_cast<int64_t>(input.position)
                                                      : static_cast<int64_t>(input.file.size_bytes());
  if (from + offset < 0) return MA_FALSE;
  input.position = static_cast<uint64_t>(from + offset);
  return MA_TRUE;
}

Status NoWav(const RandomAccessFile& file) {
  std::array<std::byte, kKindBytes> bytes{};
  const std::span begin = std::span(bytes).first(std::min<uint64_t>(bytes.size(), file.size_bytes()));
  PREON_RETURN_IF_ERROR(file.ReadAt(0, begin));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool is_wav = text.starts_with("RIFF") && text.substr(8, 4) == "WAVE";
  return Error(ErrorId::kDataMalformed, file.path(), ": not a WAV file, damaged, or cut short (",
               KindOrSize(is_wav ? begin.first(0) : begin, file.size_bytes()), ")");
}

bool IsRead(unsigned format) {
  return format == MA_DR_WAVE_FORMAT_PCM || format == MA_DR_WAVE_FORMAT_IEEE_FLOAT ||
         format == MA_DR_WAVE_FORMAT_ALAW || format == MA_DR_WAVE_FORMAT_MULAW;
}

}  // namespace

struct WavFile::State {
  explicit State(RandomAccessFile file) : input{std::move(file)} {}
  ~State() {
    if (is_open) ma_dr_wav_uninit(&decoder);
  }

  Input input;
  ma_dr_wav decoder = {};
  bool is_open = false;
  int64_t frames = 0;
};

WavFile::WavFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
WavFile::WavFile(WavFile&&) noexcept = default;
WavFile::~WavFile() = default;

const std::string& WavFile::path() const { return state_->input.file.path(); }
int64_t WavFile::rate_hz() const { return state_->decoder.sampleRate; }
int64_t WavFile::channels() const { return state_->decoder.channels; }
int64_t WavFile::frames() const { return state_->frames; }

Result<WavFile> WavFile::Open(const std::string& path) {
  PREON_ASSIGN_OR_RETURN(RandomAccessFile opened, RandomAccessFile::Open(path));
  auto state = std::make_unique<State>(std::move(opened));
  ma_dr_wav& decoder = state->decoder;
  state->is_open = ma_dr_wav_init(&decoder, ReadSome, Seek, nullptr, &state->input, nullptr) == MA_TRUE;
  PREON_RETURN_IF_ERROR(state->input.failure);
  if (!state->is_open) return NoWav(state->input.file);
  const uint64_t frame_bytes = uint64_t{decoder.bitsPerSample} / 8 * decoder.channels;
  if (!IsRead(decoder.translatedFormatTag) || decoder.bitsPerSample % 8 != 0) {
    return Error(ErrorId::kDataUnsupported, path, ": WAV coding ", decoder.translatedFormatTag, " with ",
                 decoder.bitsPerSample, " bits, wanted integers, floats, A-law or mu-law of whole bytes");
  }
  const uint64_t size_bytes = state->input.file.size_bytes(), begin = decoder.dataChunkDataPos;
  const uint64_t held = size_bytes - std::min(size_bytes, begin), promised = decoder.dataChunkDataSize;
  if (promised > held || decoder.totalPCMFrameCount != promised / frame_bytes) {
    return Error(ErrorId::kDataMalformed, path, ": damaged or cut short: its header says ", promised,
                 " bytes of sound, it holds ", held);
  }
  state->frames = static_cast<int64_t>(decoder.totalPCMFrameCount);
  return WavFile(std::move(state));
}

Result<std::vector<float>> WavFile::Read(int64_t first, int64_t count) {
  ma_dr_wav& decoder = state_->decoder;
  const size_t values = static_cast<size_t>(count * channels());
  std::vector<float> sound(values);
  bool whole = ma_dr_wav_seek_to_pcm_frame(&decoder, static_cast<uint64_t>(first)) == MA_TRUE;
  if (whole && decoder.translatedFormatTag == MA_DR_WAVE_FORMAT_PCM && decoder.bitsPerSample == 8) {
    // The decoder maps 0 to 255 to -1 to 1 evenly, which moves silence (128) away from 0.
    std::vector<int16_t> codes(values);
    whole = ma_dr_wav_read_pcm_frames_s16(&decoder, static_cast<uint64_t>(count), codes.data()) ==
            static_cast<uint64_t>(count);
    std::ranges::transform(codes, sound.begin(), [](int16_t code) { return static_cast<float>(code) / 32768; });
  } else if (whole) {
    whole = ma_dr_wav_read_pcm_frames_f32(&decoder, static_cast<uint64_t>(count), sound.data()) ==
            static_cast<uint64_t>(count);
  }
  PREON_RETURN_IF_ERROR(state_->input.failure);
  if (!whole) return Error(ErrorId::kDataMalformed, path(), ": the sound ends before frame ", first + count);
  return sound;
}

}  // namespace preon
