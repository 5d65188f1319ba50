package import ArgumentParser
internal import Glibc

/// Calls every operation of the API through clients that code generators create from the API's description.
package struct ClientsScenario: Scenario {
    package static let configuration = CommandConfiguration(
        commandName: "clients", abstract: "Call every operation of the API through generated clients.",
        discussion: """
            openapi-python-client and datamodel-code-generator (PyPI) generate a client and models from the \
            description that a running service returns. Every operation is called with the examples in the \
            description, once with the client and once with the models, and each answer must match its type. \
            A warning from a generator is a failure.

            Example: pushload clients .build/python-clients
            """)

    @Argument(
        help: ArgumentHelp(
            "The folder of a Python virtual environment. Created if it does not exist.",
            valueName: "folder"))
    var folder: String
    @Option(help: .store) var store = TestbedSettings.usualStore

    /// The versions are fixed, because other versions generate different clients.
    private static let packages = [
        "openapi-python-client==0.29.1", "datamodel-code-generator==0.89.0", "pydantic==2.14.4",
        "httpx==0.28.1",
    ]
    private static let limit: Duration = .seconds(600)

    package init() {}

    package var settings: TestbedSettings {
        TestbedSettings(store: store) {
            $0.web = true
            $0.keepsWebPort = true
            $0.verifyMode = true
        }
    }

    package func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> Verdict {
        let python = PythonEnvironment(folder: folder)
        try await python.install(Self.packages, for: "openapi-python-client", in: testbed)
        try await testbed.startEngine()
        let (place, address) = (testbed.folder, "http://127.0.0.1:\(testbed.ports.web)")
        try place.write(GeneratedClients.fetch, to: "fetch.py")
        try place.write(GeneratedClients.call, to: "call.py")
        // openapi-python-client does not support text bodies. A file body sends the same bytes.
        try place.write(
            """
            post_hooks: []
            content_type_overrides:
              text/csv: application/octet-stream
              application/x-ndjson: application/octet-stream

            """, to: "generator.yml")
        let description = place.file("openapi.json")
        func perform(_ program: String, _ arguments: [String]) async throws {
            let result = try await testbed.succeed(
                "\(folder)/bin/\(program)", arguments, within: Self.limit)
            for text in [result.output, result.complaints] where !text.isEmpty { say(text) }
        }
        try await perform("python3", [place.file("fetch.py"), "\(address)/api/v1/openapi.json", description])
        try await perform(
            "openapi-python-client",
            [
                "generate", "--path", description, "--output-path", place.file("generated"), "--meta", "none",
                "--fail-on-warning", "--config", place.file("generator.yml"),
            ])
        try await perform(
            "datamodel-codegen",
            [
                "--input", description, "--input-file-type", "openapi", "--output", place.file("models.py"),
                "--output-model-type", "pydantic_v2.BaseModel", "--formatters", "builtin",
            ])
        try await perform("python3", [place.file("call.py"), address, testbed.apiToken])
        return Verdict()
    }
}

/// A Python virtual environment with third-party programs.
struct PythonEnvironment {
    let folder: String
    private static let python = "/usr/bin/python3"
    private static let limit: Duration = .seconds(1_800)

    /// Creates the environment and installs the packages, unless the environment already contains the
    /// program.
    func install(_ packages: [String], for program: String, in testbed: Testbed) async throws {
        guard (try? Folder.read("\(folder)/bin/\(program)")) == nil else { return }
        guard unsafe access(Self.python, X_OK) == 0 else {
            throw LoadError.notInstalled(Self.python, debianPackage: "python3-venv")
        }
        do {
            try await testbed.succeed(Self.python, ["-m", "venv", folder], within: Self.limit)
            try await testbed.succeed(
                "\(folder)/bin/pip", ["install", "--quiet"] + packages, within: Self.limit)
        } catch {
            throw LoadError("cannot install \(packages.joined(separator: ", ")) in \(folder): \(error)")
        }
    }
}
