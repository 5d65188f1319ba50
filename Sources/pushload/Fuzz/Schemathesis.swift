/// Has schemathesis, a program of others, read the OpenAPI document of a service and ask everything in it.
struct Schemathesis {
    /// Where the virtual environment of Python is, or is made.
    let folder: String
    let seed: UInt64

    /// Another version has other questions: raised deliberately.
    private static let package = "schemathesis==4.32.5"
    private static let longest: Duration = .seconds(1_800)

    /// - Throws: where it could not be installed, or found something; what it says is printed before.
    func run(in testbed: Testbed, say: (String) -> Void) async throws {
        try await install(in: testbed)
        try await testbed.createService()
        try await testbed.createApp(Testbed.app, credential: .token)
        try await testbed.importSubscribers(SyntheticSubscribers(100, seed: seed))
        try await testbed.startEngine()
        try await testbed.settle(try await testbed.submit())
        let process = try testbed.start(
            "\(folder)/bin/schemathesis",
            [
                "run", "http://127.0.0.1:\(testbed.ports.web)/api/v1/openapi.json", "--no-color", "--seed",
                "\(seed)",
                "--header", "Authorization: Bearer \(testbed.apiToken)",
            ] + Self.options)
        let ending = try await process.end(within: Self.longest)
        say(Folder.text(process.output))
        if let engine = testbed.engine { try engine.requireRunning() }
        guard ending.status == 0 else {
            throw LoadError(.wrong("seed \(seed): schemathesis ended with \(ending); see above"))
        }
    }

    /// What no description can say: that a request needs one of two members and not both, that a text is a
    /// name which is there, or a number as a text. Whoever goes by it alone is refused sometimes, and that is
    /// right.
    ///
    /// Its own token is not revoked, or all that follows would be answered with 401.
    private static let options = [
        "--checks", "all", "--exclude-checks", "positive_data_acceptance", "--exclude-path", "/tokens/{name}",
    ]

    private func install(in testbed: Testbed) async throws {
        let program = "\(folder)/bin/schemathesis"
        guard (try? Folder.read(program)) == nil else { return }
        do {
            try await testbed.succeed("/usr/bin/python3", ["-m", "venv", folder], within: Self.longest)
            try await testbed.succeed(
                "\(folder)/bin/pip", ["install", "--quiet", Self.package], within: Self.longest)
        } catch {
            throw LoadError(.wrong("\(Self.package) cannot be installed in \(folder): \(error)"))
        }
    }
}
