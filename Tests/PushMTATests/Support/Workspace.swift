import Foundation
import PushStore
import TestSupport
import Testing

/// A folder with a configuration, in which commands are run. It is deleted with its last reference.
final class Workspace: Sendable {
    let folder: URL
    private let program: BuiltProgram
    private let place: Store.Place

    /// - Parameter configuration: The content of serverConf.xml; `nil` if there is no such file. In a test
    ///   with ``EachEngine``, the usual store in a file is replaced by a database in the second run.
    init(configuration: String? = Workspace.configuration()) throws {
        program = try BuiltProgram()
        folder = try TemporaryFolder.make()
        var element = Self.file
        if TestEngine.current == .postgreSQL {
            let database = try WorkspaceServer.makeDatabase()
            let instance = folder.appending(path: "var").path(percentEncoded: false)
            place = .postgreSQL(database, instanceFolder: instance)
            element = """
                <dbcnx provider="PostgreSQL" server="\(database.hosts[0].name)" \
                login="\(database.account):\(database.database)" instanceFolder="var"/>
                """
        } else {
            place = .sqlite(path: folder.appending(path: "var/pushmta.db").path(percentEncoded: false))
        }
        if let configuration {
            try write(configuration.replacing(Self.file, with: element), to: "serverConf.xml")
        }
    }

    private static let file = #"<dbcnx provider="SQLite" server="var/pushmta.db"/>"#

    deinit { try? FileManager.default.removeItem(at: folder) }

    static func configuration(store: String = "var/pushmta.db", mta: String = #"autoStart="true""#) -> String
    {
        """
        <serverConf>
          <shared><dataStore><dataSource name="default">
            <dbcnx provider="SQLite" server="\(store)"/>
          </dataSource></dataStore></shared>
          <mta \(mta)/>
        </serverConf>
        """
    }

    func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

    func write(_ bytes: Data, to name: String) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: file)
    }

    func text(of name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    func openStore() throws -> Store { try Store.open(place) }

    /// Returns the path of a file in Fixtures, which is named after its defect.
    static func fixture(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/\(name)")
            .standardized
            .path(percentEncoded: false)
    }

    // MARK: Running

    /// Runs a command in the folder, and waits until it ends.
    func run(_ arguments: String..., input: String = "") async throws -> Finished {
        try await run(arguments, input: input)
    }

    func run(_ arguments: [String], input: String = "") async throws -> Finished {
        try await start(arguments, input: input).finished()
    }

    /// Runs a command that must succeed.
    @discardableResult
    func succeed(
        _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Finished {
        try await succeed(arguments, input: input, sourceLocation: sourceLocation)
    }

    @discardableResult
    func succeed(
        _ arguments: [String], input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Finished {
        let finished = try await run(arguments, input: input)
        #expect(finished.status == 0, "\(arguments): \(finished.errors)", sourceLocation: sourceLocation)
        return finished
    }

    /// - Parameters:
    ///   - output: A device or file that replaces the one from which ``Finished/output`` is read.
    ///   - errors: The same for standard error.
    ///   - limits: Options of the shell's `ulimit` that apply to the command.
    ///   - environment: `NAME=VALUE` in addition to the tests' own environment.
    func start(
        _ arguments: [String], input: String = "", output: String? = nil, errors: String? = nil,
        limits: String? = nil, environment: [String] = []
    ) throws -> RunningCommand {
        try RunningCommand(
            program: program.path, arguments: arguments, folder: folder, input: input, output: output,
            errors: errors,
            limits: limits, environment: environment)
    }
}
