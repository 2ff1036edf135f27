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

/// Settings of what tests share: nearly all of it shows what it imports.
let supportSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Settings of the extended checks, which are nobody's dependency.
let checkSettings = settings + [.unsafeFlags(["-warnings-as-errors"])]

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

/// Tests of the library, in folders of the same names as those of the sources.
func heliographTests(_ name: String, and others: [Target.Dependency] = []) -> Target {
  .testTarget(name: name, dependencies: ["HeliographTestSupport"] + others, swiftSettings: settings + curlDefines)
}

/// What the samples of the documents import.
let samplesDependencies: [Target.Dependency] = [
  "TestSupport", "Heliograph", "HeliographBackground", "HeliographInspector", "HeliographTesting",
]

/// What explores: kills, storms, real servers, pairs, trees, laws, stress, conformance; and the samples of the documents.
///
/// `make check` asks for these targets, and `HELIOGRAPH_CHECKS=threads` for the one that ThreadSanitizer watches.
let checks: [Target] = [
  .testTarget(
    name: "SignalsChecks", dependencies: ["SignalsTestSupport", "HeliographTesting"], path: "Tests/SignalsChecks",
    swiftSettings: checkSettings),
  .testTarget(
    name: "HeliographChecks", dependencies: ["HeliographTestSupport", "StoreFixtures"], path: "Tests/HeliographChecks",
    swiftSettings: checkSettings + curlDefines),
  .testTarget(
    name: "DocumentationSamples", dependencies: samplesDependencies, exclude: ["MainActor"],
    swiftSettings: checkSettings + [.define("APP_DEVELOP")]),
  .testTarget(name: "LawTests", dependencies: ["Heliograph"], swiftSettings: checkSettings),
  .testTarget(name: "StressTests", dependencies: ["Signals", "HeliographTesting"], swiftSettings: checkSettings),
  .testTarget(
    name: "ConformanceTests", dependencies: ["Signals", "Heliograph", "HeliographTesting"],
    swiftSettings: checkSettings + curlDefines),
]

#if compiler(>=6.2)
/// The samples of the documents once more, in a module with the settings of a new project in Xcode 26.
///
/// `HELIOGRAPH_CHECKS=main-actor` asks for it: a file belongs to one target of a package at a time.
let isolatedChecks: [Target] = [
  .testTarget(
    name: "MainActorSamples", dependencies: samplesDependencies, path: "Tests/DocumentationSamples",
    swiftSettings: settings + [
      .define("APP_DEVELOP"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .enableUpcomingFeature("InferIsolatedConformances"),
      .unsafeFlags(["-default-isolation", "MainActor"]),
    ])
]
#else
let isolatedChecks: [Target] = []
#endif

/// What `HELIOGRAPH_CHECKS` asks for.
let extended = [
  "1": checks, "threads": checks.filter { $0.name == "StressTests" },
  "main-actor": isolatedChecks,
]

let package = Package(
  name: "Heliograph",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Signals", targets: ["Signals"]),
    .library(name: "Heliograph", targets: ["Heliograph"]),
    .library(name: "HeliographBackground", targets: ["HeliographBackground"]),
    .library(name: "HeliographInspector", targets: ["HeliographInspector"]),
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
    .target(
      name: "HeliographBackground", dependencies: ["Signals", "Heliograph"], swiftSettings: librarySettings),
    .target(name: "HeliographTesting", dependencies: ["Signals", "Heliograph"], swiftSettings: librarySettings),
    .target(
      name: "HeliographInspector", dependencies: ["Signals", "Heliograph", "HeliographTesting"],
      swiftSettings: librarySettings),

    .target(name: "TestWidth", path: "Tests/TestWidth"),
    .target(
      name: "TestSupport", dependencies: ["Signals", "HeliographTesting", "TestWidth"], path: "Tests/TestSupport",
      swiftSettings: supportSettings),
    .target(
      name: "SignalsTestSupport", dependencies: ["TestSupport", "Signals", "HeliographTesting"],
      path: "Tests/SignalsTestSupport", swiftSettings: supportSettings),
    .target(
      name: "HeliographTestSupport", dependencies: ["TestSupport", "Heliograph", "HeliographTesting", "ProcessProbe"],
      path: "Tests/HeliographTestSupport", swiftSettings: supportSettings + curlDefines),

    .testTarget(
      name: "SignalsTests", dependencies: ["SignalsTestSupport", "HeliographTesting"], swiftSettings: settings),
    heliographTests("RequestTests"),
    heliographTests("ClientTests"),
    heliographTests("FlowTests"),
    heliographTests("CacheTests", and: ["StoreFixtures"]),
    heliographTests("CallsTests"),
    heliographTests("ResponseTests"),
    heliographTests("TransfersTests"),
    heliographTests("TransportTests", and: ["CurlNumbers"]),
    heliographTests("BackgroundTests", and: ["HeliographBackground"]),
    heliographTests("InspectorTests", and: ["HeliographInspector"]),
    .testTarget(
      name: "HeliographTestingTests", dependencies: ["TestSupport", "HeliographTesting"], swiftSettings: settings),
    .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"], swiftSettings: settings),
    .testTarget(name: "DocumentationTests", dependencies: ["TestSupport", "Heliograph"], swiftSettings: settings),

    .executableTarget(
      name: "ProcessProbe",
      dependencies: ["Signals", "Heliograph", "HeliographInspector", "HeliographTesting", "StoreFixtures"],
      path: "Tests/ProcessProbe", swiftSettings: settings),
    .target(
      name: "StoreFixtures", dependencies: ["Heliograph"], path: "Tests/StoreFixtures", swiftSettings: settings),
    .target(name: "CurlNumbers", dependencies: ["CCurl"], path: "Tests/CurlNumbers"),
  ] + (extended[Context.environment["HELIOGRAPH_CHECKS"] ?? ""] ?? [])
)

// Not watched, because their code has hardly any threads of its own: ThreadSanitizer would only cost time.
if Context.environment["HELIOGRAPH_CHECKS"] == "threads" {
  let unwatched: Set = [
    "ResponseTests", "BackgroundTests", "InspectorTests", "ArchitectureTests", "DocumentationTests",
  ]
  package.targets.removeAll { unwatched.contains($0.name) }
}
