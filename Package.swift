// swift-tools-version: 6.1
import PackageDescription

/// Settings of every target: the stricter language the project is written in.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Settings of the libraries, whose async functions run on the actor of the caller (older compilers than 6.2 ignore it).
let librarySettings = settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// `CurlTransport` is there on Linux, and elsewhere if the package's user asks for it with the trait `Curl`.
let hasCurl = BuildSettingCondition.when(traits: ["Curl"])
let isLinux = BuildSettingCondition.when(platforms: [.linux])
let curlDefines: [SwiftSetting] = [.define("HELIOGRAPH_CURL", isLinux), .define("HELIOGRAPH_CURL", hasCurl)]

/// What App Store Connect reads of a library; elsewhere it would make a bundle that nobody opens.
#if canImport(Darwin)
let (resources, excluded): ([Resource], [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#else
let (resources, excluded): ([Resource], [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

let package = Package(
  name: "Heliograph",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Signals", targets: ["Signals"]),
    .library(name: "Heliograph", targets: ["Heliograph"]),
    .library(name: "HeliographTesting", targets: ["HeliographTesting"]),
  ],
  traits: [
    .trait(name: "Curl", description: "CurlTransport, over the system's libcurl. Linux always has it."),
    // Those who work on the package on a Mac set this for builds in which no trait can be named, such as xcodebuild's.
    .default(enabledTraits: Context.environment["HELIOGRAPH_CURL"] == "1" ? ["Curl"] : []),
  ],
  targets: [
    .target(name: "Signals", swiftSettings: librarySettings),
    .target(
      name: "CCurl", cSettings: [.define("HELIOGRAPH_CURL", isLinux), .define("HELIOGRAPH_CURL", hasCurl)]),
    .target(
      name: "Heliograph", dependencies: ["Signals", "CCurl"], exclude: excluded, resources: resources,
      swiftSettings: librarySettings + curlDefines),
    .target(name: "HeliographTesting", dependencies: ["Signals", "Heliograph"], swiftSettings: librarySettings),

    .testTarget(name: "SignalsTests", dependencies: ["Signals", "HeliographTesting"], swiftSettings: settings),
    .testTarget(
      name: "HeliographTests",
      dependencies: ["Heliograph", "HeliographTesting", "CurlNumbers", "ProcessProbe", "StoreFixtures"],
      swiftSettings: settings + curlDefines),
    .testTarget(name: "HeliographTestingTests", dependencies: ["HeliographTesting"], swiftSettings: settings),
    .testTarget(name: "LawTests", dependencies: ["Heliograph"], swiftSettings: settings),
    .testTarget(name: "ArchitectureTests", swiftSettings: settings),
    .testTarget(
      name: "DocumentationTests", dependencies: ["Heliograph", "HeliographTesting"], swiftSettings: settings),
    .testTarget(
      name: "ConformanceTests", dependencies: ["Signals", "Heliograph", "HeliographTesting"],
      swiftSettings: settings + curlDefines),
    .testTarget(name: "StressTests", dependencies: ["Signals", "HeliographTesting"], swiftSettings: settings),
    .executableTarget(
      name: "ProcessProbe", dependencies: ["Signals", "Heliograph", "StoreFixtures"], path: "Tests/ProcessProbe",
      swiftSettings: settings),
    .target(
      name: "StoreFixtures", dependencies: ["Heliograph"], path: "Tests/StoreFixtures", swiftSettings: settings),
    .target(name: "CurlNumbers", dependencies: ["CCurl"], path: "Tests/CurlNumbers"),
    .target(name: "CAllocationCount", path: "Tests/AllocationCount"),
    .executableTarget(
      name: "Benchmarks", dependencies: ["Signals", "Heliograph", "CAllocationCount"], path: "Tests/Benchmarks",
      swiftSettings: settings),
  ]
)
