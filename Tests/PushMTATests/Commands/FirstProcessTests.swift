import Foundation
import Glibc
import TestSupport
import Testing

/// Tests `pushmta run` as the first process of a container, which the kernel makes the parent of all orphans.
@Suite(.enabled(if: geteuid() == 0, "only root may make a namespace of processes"))
struct FirstProcessTests {
    /// Starts an orphan that ends immediately, and another that ends after the service has started. Then
    /// starts the service.
    private static let script = """
        (: &)
        (sh -c 'while ! [ -e go ]; do sleep 0.1; done; : > gone' &)
        exec "$0" run "$@"
        """

    /// Returns processes grouped by parent, according to `/proc` in this process's namespace.
    private static func children(of parent: pid_t) -> [(process: pid_t, name: String, isZombie: Bool)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.compactMap { process in
            guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                let open = text.firstIndex(of: "("), let end = text.lastIndex(of: ")")
            else { return nil }
            let fields = text[text.index(after: end)...].split(separator: " ")
            guard fields.count > 1, pid_t(fields[1]) == parent else { return nil }
            return (process, String(text[text.index(after: open)..<end]), fields[0] == "Z")
        }
    }

    @Test(arguments: [["--module", "web"], ["--module", "mta"]])
    func `the first process reaps the orphans that it adopts and its own children`(options: [String])
        async throws
    {
        let workspace = try await Workspace.withApp()
        let configuration = Workspace.configuration().replacing(
            #"<mta autoStart="true"/>"#,
            with: #"<mta autoStart="true"><master startSpareServers="1"/></mta>"#)
        try workspace.write(configuration, to: "serverConf.xml")
        let program = try BuiltProgram().path
        let unshare = try RunningCommand(
            program: "/usr/bin/unshare",
            arguments: [
                "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", Self.script, program,
            ] + options, folder: workspace.folder, input: "", output: nil)
        try await unshare.waitForOutput("serving")
        let service = try #require(Self.children(of: unshare.processID).first).process
        try workspace.write("", to: "go")
        try await eventually("the orphan to have ended") { workspace.exists("gone") }
        try await eventually("no zombie to be left") {
            Self.children(of: service).allSatisfy { !$0.isZombie && $0.name != "sh" }
        }
        if options.contains("mta") {
            // Only the process that reaps a child knows the cause of its end.
            var child: pid_t?
            try await eventually("a child") {
                child = Self.children(of: service).first { !$0.isZombie }?.process
                return child != nil
            }
            kill(try #require(child), SIGKILL)
            try await unshare.waitForOutput("signal 9")
        }
        kill(service, SIGTERM)
        #expect(try await unshare.finished().status == 0)
    }
}
