#include "ir/external_data.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/output/atomic_file.h"
#include "base/output/temp_dir.h"
#include "ir/test_protos.h"

namespace preon {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A folder with `model.bin` of 16 floats 0, 1, 2, …, beside which a model stands.
class ExternalDataTest : public ::testing::Test {
 protected:
  ExternalDataTest() {
    std::vector<float> values(16);
    for (size_t index = 0; index < values.size(); ++index) values[index] = static_cast<float>(index);
    Write("model.bin", {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  }

  void Write(const std::string& name, std::string_view bytes) {
    ASSERT_TRUE(WriteFileAtomically(dir_.File(name), bytes).ok());
  }

  // y = x * w, where w = float[4] lies outside.
  static onnx::ModelProto Proto(const std::string& location, const std::string& offset, const std::string& length) {
    onnx::ModelProto proto = ProtoFromText(R"(
      <ir_version: 8, opset_import: ["": 17]>
      small (float[4] x) => (float[4] y) <float[4] w = {0, 0, 0, 0}> { y = Mul(x, w) })");
    onnx::TensorProto* weights = proto.mutable_graph()->mutable_initializer(0);
    weights->clear_float_data();
    weights->set_data_location(onnx::TensorProto::EXTERNAL);
    const auto add = [weights](const char* key, const std::string& value) {
      if (value.empty()) return;
      auto* entry = weights->add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    };
    add("location", location);
    add("offset", offset);
    add("length", length);
    return proto;
  }

  Result<Model> Load(const std::string& location, const std::string& offset = "", const std::string& length = "") {
    return LoadProto(Proto(location, offset, length), dir_.File("model.onnx"));
  }

  void ExpectError(const Result<Model>& model, ErrorId id, const std::string& message) {
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.status().id(), id) << model.status().ToString();
    EXPECT_THAT(model.status().message(), HasSubstr(message));
    EXPECT_THAT(model.status().message(), HasSubstr("tensor w"));
  }

  TempDir dir_ = *TempDir::Create(fs::temp_directory_path().string());
};

TEST_F(ExternalDataTest, BytesAreBorrowedFromTheMappedFile) {
  const Result<Model> model = Load("model.bin", "8", "16");
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_THAT(model->graph.Initializer("w")->floats(), ::testing::ElementsAre(2, 3, 4, 5));
  // Borrowed: as far from the start of a page as from the start of the file.
  EXPECT_EQ(reinterpret_cast<uintptr_t>(model->graph.Initializer("w")->bytes().data()) % 4096, 8u);
}

TEST_F(ExternalDataTest, OffsetAndLengthMayBeLeftOut) {
  EXPECT_THAT(Load("model.bin")->graph.Initializer("w")->floats(), ::testing::ElementsAre(0, 1, 2, 3));
}

TEST_F(ExternalDataTest, UnalignedBytesAreCopied) {
  Write("odd.bin", std::string(1, 'x') + *ReadFile(dir_.File("model.bin")));
  const Result<Model> model = Load("odd.bin", "1", "16");
  ASSERT_TRUE(model.ok());
  EXPECT_THAT(model->graph.Initializer("w")->floats(), ::testing::ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(model->graph.Initializer("w")->bytes().data()) % 4, 0u);
}

TEST_F(ExternalDataTest, ANameEndsAtNoZeroByte) {
  ExpectError(Load(std::string("model.bin") + '\0' + "x"), ErrorId::kModelInvalid, "zero byte");
}

TEST_F(ExternalDataTest, SubfoldersAreFine) {
  fs::create_directory(dir_.File("weights"));
  fs::copy_file(dir_.File("model.bin"), dir_.File("weights/model.bin"));
  EXPECT_TRUE(Load("weights/model.bin").ok());
  EXPECT_TRUE(Load("./weights/model.bin").ok());
}

TEST_F(ExternalDataTest, AbsentOrShortFilesAreMissing) {
  ExpectError(Load("absent.bin"), ErrorId::kExternalDataMissing, "'absent.bin' does not exist");
  ExpectError(Load(""), ErrorId::kExternalDataMissing, "does not exist");
  ExpectError(Load("model.bin", "52"), ErrorId::kExternalDataMissing, "64 bytes, wanted 16 from offset 52");
  ExpectError(Load("model.bin", "9223372036854775807"), ErrorId::kExternalDataMissing, "too short");
  Write("empty.bin", "");
  ExpectError(Load("empty.bin"), ErrorId::kExternalDataMissing, "too short: 0 bytes");
  fs::create_directory(dir_.File("folder"));
  ExpectError(Load("folder"), ErrorId::kExternalDataMissing, "is not a file");
}

TEST_F(ExternalDataTest, NumbersMustBeNumbersOfBytes) {
  ExpectError(Load("model.bin", "-8"), ErrorId::kModelInvalid, "offset '-8'");
  ExpectError(Load("model.bin", "8x"), ErrorId::kModelInvalid, "offset '8x'");
  ExpectError(Load("model.bin", "99999999999999999999"), ErrorId::kModelInvalid, "offset");
  ExpectError(Load("model.bin", "0", "12"), ErrorId::kModelInvalid, "12 bytes, wanted 16 for float [4]");
}

TEST_F(ExternalDataTest, NothingOutsideTheFolderIsOpened) {
  const TempDir other = *TempDir::Create(fs::temp_directory_path().string());
  fs::copy_file(dir_.File("model.bin"), other.File("model.bin"));
  ExpectError(Load(other.File("model.bin")), ErrorId::kExternalDataOutside, "outside");
  ExpectError(Load("../" + fs::path(other.path()).filename().string() + "/model.bin"), ErrorId::kExternalDataOutside,
              "outside");
  ExpectError(Load("/etc/passwd"), ErrorId::kExternalDataOutside, "'/etc/passwd'");
  fs::create_symlink(other.File("model.bin"), dir_.File("link.bin"));
  ExpectError(Load("link.bin"), ErrorId::kExternalDataOutside, "outside");
  fs::create_directory_symlink(other.path(), dir_.File("linked"));
  ExpectError(Load("linked/model.bin"), ErrorId::kExternalDataOutside, "outside");
  fs::create_symlink("model.bin", dir_.File("inside.bin"));
  EXPECT_TRUE(Load("inside.bin").ok());
}

TEST_F(ExternalDataTest, TheFingerprintFollowsTheFilesSize) {
  const std::string before = Load("model.bin")->fingerprint;
  Write("model.bin", *ReadFile(dir_.File("model.bin")) + "tail");
  EXPECT_NE(Load("model.bin")->fingerprint, before);
}

TEST_F(ExternalDataTest, WeightsOfBranchesAreWeightsOfTheGraph) {
  onnx::ModelProto proto = ProtoFromText(R"(
    <ir_version: 8, opset_import: ["": 17]>
    outer (float[4] x, bool c) => (float[4] y) {
      y = If(c) <then_branch = t () => (float[4] t) { t = Relu(x) },
        else_branch = e () => (float[4] e) { e = Mul(x, w) }>
    })");
  *proto.mutable_graph()->mutable_node(0)->mutable_attribute(1)->mutable_g()->add_initializer() =
      Proto("model.bin", "16", "16").graph().initializer(0);
  const Result<Model> model = LoadProto(proto, dir_.File("model.onnx"));
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  ASSERT_NE(model->graph.Initializer("w"), nullptr);
  EXPECT_EQ(model->graph.Initializer("w")->floats()[0], 4);
}

TEST_F(ExternalDataTest, WeightsOfSubgraphsMoveInside) {
  onnx::ModelProto proto = ProtoFromText(R"(
    <ir_version: 8, opset_import: ["": 17]>
    outer (float[4] x, bool c, int64 n) => (float[4] y) {
      y = Loop(n, c, x) <body = b (int64 i, bool k, float[4] v) => (bool m, float[4] u)
        { m = Identity(k) u = Mul(v, w) }>
    })");
  *proto.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_g()->add_initializer() =
      Proto("model.bin", "16", "16").graph().initializer(0);
  const Result<Model> model = LoadProto(proto, dir_.File("model.onnx"));
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const onnx::ModelProto written = ToProtoByBytes(*model);
  const onnx::TensorProto& weights = written.graph().node(0).attribute(0).g().initializer(0);
  EXPECT_EQ(weights.external_data_size(), 0);
  float first = 0;
  ASSERT_EQ(weights.raw_data().size(), 16u);
  std::memcpy(&first, weights.raw_data().data(), sizeof(first));
  EXPECT_EQ(first, 4);
}

TEST_F(ExternalDataTest, AModelAbove2GiBLoadsWithoutReadingItsWeights) {
  const int64_t size_bytes = int64_t{3} << 30;
  Write("big.bin", "");
  fs::resize_file(dir_.File("big.bin"), static_cast<uintmax_t>(size_bytes));  // a hole: costs no disk
  onnx::ModelProto proto = Proto("big.bin", "", "");
  proto.mutable_graph()->mutable_initializer(0)->set_dims(0, size_bytes / 4);
  const Result<Model> model = LoadProto(proto, dir_.File("model.onnx"));
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ(model->graph.Initializer("w")->bytes().size(), static_cast<size_t>(size_bytes));
  EXPECT_EQ(SerializeModel(*model).status().id(), ErrorId::kModelTooLarge);
}

// ----------------------------------------------------------------------------------------------------------- saving

class ExternalSaveTest : public ::testing::Test {
 protected:
  ExternalSaveTest() {
    Graph& graph = model_.graph;
    graph.SetInitializer("w", Tensor::FromFloats({1001}, std::vector<float>(1001, 1.5f)));
    graph.SetInitializer("u", Tensor::FromFloats({1001}, std::vector<float>(1001, 2.5f)));
    graph.SetInputs(graph.Producer("y"), {"x", "w", "u"});
  }

  int64_t Entries() const { return std::distance(fs::directory_iterator(dir_.path()), fs::directory_iterator()); }
  /// The one file but m.onnx itself.
  std::string SideFile() const {
    for (const auto& entry : fs::directory_iterator(dir_.path())) {
      if (entry.path().extension() == ".data") return entry.path().string();
    }
    return "";
  }

  TempDir dir_ = *TempDir::Create(fs::temp_directory_path().string());
  Model model_ = *LoadProto(ProtoFromText(R"(
      <ir_version: 8, opset_import: ["": 17]>
      small (float[1001] x) => (float[1001] y) <float[2] few = {1, 2}> { y = Sum(x, few) })"));
};

TEST_F(ExternalSaveTest, LargeWeightsGoToAFileBesideTheModel) {
  ASSERT_TRUE(SaveModel(model_, dir_.File("m.onnx"), {.external_data = true}).ok());
  EXPECT_EQ(fs::file_size(SideFile()), 4032u + 4004u);  // 1001 floats, aligned to 64 bytes, 1001 floats
  EXPECT_LT(fs::file_size(dir_.File("m.onnx")), 600u);
  const Result<Model> again = LoadModel(dir_.File("m.onnx"));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(again->graph.Initializer("w")->floats()[1000], 1.5f);
  EXPECT_EQ(again->graph.Initializer("u")->floats()[1000], 2.5f);
  EXPECT_EQ(again->graph.Initializer("few")->floats()[1], 2.0f);
  EXPECT_EQ(*SerializeModel(*again), *SerializeModel(model_));
}

TEST_F(ExternalSaveTest, AModelCanReplaceTheFilesItsWeightsAreBorrowedFrom) {
  ASSERT_TRUE(SaveModel(model_, dir_.File("m.onnx"), {.external_data = true}).ok());
  Model again = *LoadModel(dir_.File("m.onnx"));
  again.graph.SetInitializer("w", Tensor::FromFloats({1001}, std::vector<float>(1001, 9.0f)));
  ASSERT_TRUE(SaveModel(again, dir_.File("m.onnx"), {.external_data = true}).ok());
  const Result<Model> third = LoadModel(dir_.File("m.onnx"));
  EXPECT_EQ(third->graph.Initializer("w")->floats()[0], 9.0f);
  EXPECT_EQ(third->graph.Initializer("u")->floats()[0], 2.5f);
  EXPECT_EQ(Entries(), 2) << "the weights that nothing names are gone";
}

TEST_F(ExternalSaveTest, BothFilesAreWholeOrAbsent) {
  ASSERT_TRUE(SaveModel(model_, dir_.File("m.onnx"), {.external_data = true}).ok());
  const std::string side = SideFile();
  fs::remove(dir_.File("m.onnx"));
  fs::remove(side);
  fs::create_directory(side);  // the weights can't get their name
  EXPECT_EQ(SaveModel(model_, dir_.File("m.onnx"), {.external_data = true}).id(), ErrorId::kIoWrite);
  EXPECT_FALSE(fs::exists(dir_.File("m.onnx")));
  EXPECT_EQ(Entries(), 1);

  fs::remove(side);
  StagedModel staged = *StageModel(model_, dir_.File("m.onnx"), {.external_data = true});
  EXPECT_GT(staged.size_bytes(), 4032 + 4004) << "of both files";
  fs::create_directory(dir_.File("m.onnx"));  // the model can't
  EXPECT_EQ(staged.Commit().id(), ErrorId::kIoWrite);
  EXPECT_FALSE(fs::exists(side));
}

TEST_F(ExternalSaveTest, AnAbsentFolderIsSaid) {
  const Status status = SaveModel(model_, dir_.File("absent/m.onnx"));
  EXPECT_EQ(status.id(), ErrorId::kOutputFolder);
  EXPECT_THAT(status.message(), HasSubstr("absent"));
}

}  // namespace
}  // namespace preon
