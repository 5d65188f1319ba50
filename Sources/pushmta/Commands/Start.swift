internal import ArgumentParser
internal import Glibc
internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushOperations
internal import PushSystem
internal import PushWire

struct Start: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start the service in the background.",
        discussion: """
            Returns when the service is ready, or says why it is not. Its log is appended to a file beside the store \
            (or in the instance folder), NAME.log, and its process number stands in NAME.pid while it serves; see \
            'pushmta run' for the rest. Where systemd runs, use its unit instead.
            """)

    @OptionGroup var starting: StartOptions
    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let instance = try Instance(config)
        try starting.start(instance)
    }
}

/// How a service is started: also by `restart`.
struct StartOptions: ParsableArguments {
    @Option(
        name: .customLong("log-format"),
        help: "What lines of the log look like: text (name=value) or json (an object each).")
    var logFormat = LogFormat.text

    @Option(
        name: .customLong("log-file"),
        help: ArgumentHelp("Append the log to this file.", valueName: "file"), completion: .file())
    var logFile: String?

    @Option(
        name: .customLong("pid-file"),
        help: ArgumentHelp("Write the process's number into this file.", valueName: "file"),
        completion: .file())
    var pidFile: String?

    func start(_ instance: Instance) throws {
        guard !Run.autoStarted(instance.settings).isEmpty else {
            throw Run.nothingToRun(instance.configuration.path)
        }
        guard try !InstanceLock.isHeld(besideStore: instance.storePath) else {
            let process = (try? LocalClient.status(storePath: instance.storePath)).flatMap { $0?.pid }
            throw CommandFailure.failed(
                "a master serves \(instance.storePath) already\(process.map { ", process \($0)" } ?? ""): "
                    + "see 'pushmta status', or use 'pushmta restart'")
        }
        // A first start makes the instance's folder, which the store would make a moment later.
        unsafe _ = mkdir(AbsolutePath.folder(of: instance.storePath), 0o700)
        let (log, pid) = (path(logFile, instance, "log"), path(pidFile, instance, "pid"))
        let socket = try ReadinessSocket()
        unsafe setenv("NOTIFY_SOCKET", socket.path, 1)
        let process = try DetachedProcess(
            try ServiceProcess.ownExecutable(),
            [
                "run", "--config", AbsolutePath.of(instance.configuration.path), "--log-file", log,
                "--log-format",
                logFormat.rawValue, "--pid-file", pid,
            ], output: log)
        try wait(for: process, on: socket, log)
        try StandardOutput.line("started as process \(process.processID); log \(log)")
    }

    /// Without a deadline of its own: what a service waits for before it is ready ends by itself, and is shown.
    private func wait(for process: DetachedProcess, on socket: ReadinessSocket, _ log: String) throws {
        var line = ProgressLine()
        defer { line.clear() }
        while true {
            switch socket.next(withinMilliseconds: 100) {
            case .ready: return
            case .status(let text): line.show { text }
            case nil: break
            }
            guard let status = process.ending() else { continue }
            line.clear()
            let last = LastLine.of(log).map { ": \($0)" } ?? ""
            let failure = "the service ended before it was ready (exit status \(status))\(last); see \(log)"
            throw status == Ending.refused.rawValue
                ? CommandFailure.refused(failure) : CommandFailure.failed(failure)
        }
    }

    /// - Returns: absolute, because the service's folder is another.
    private func path(_ named: String?, _ instance: Instance, _ suffix: String) -> String {
        AbsolutePath.of(named ?? "\(instance.storePath).\(suffix)")
    }
}
