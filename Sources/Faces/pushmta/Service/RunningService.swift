internal import ArgumentParser
internal import PushMaster
internal import PushModel
internal import PushSystem

/// The options with which the service of an instance was started, so that `restart` can keep them.
struct RunningService {
    private let options: Run
    /// The folder to which relative paths in the options refer.
    private let folder: String

    var logFormat: LogFormat { options.log.format }
    /// The absolute path of the log file; `nil` if the service logs to standard error.
    var logFile: String? { options.log.file.map { AbsolutePath.of($0, from: folder) } }
    /// The absolute path of the pid file; `nil` if the service does not write one.
    var pidFile: String? { options.pidFile.map { AbsolutePath.of($0, from: folder) } }
    /// The remaining options of `pushmta run`.
    var otherArguments: [String] {
        (options.module.map { ["--module", $0.rawValue] } ?? [])
            + [
                "--retention-day-seconds", "\(options.retentionDaySeconds)", "--take-over-ms",
                "\(options.takeOverMs)",
            ]
    }

    /// Reads the command line of the process that serves the instance. Returns `nil` if no process serves the
    /// instance, if the process is not `pushmta run`, or if this version does not know one of its options.
    static func find(of instance: Instance) -> RunningService? {
        guard let process = LocalClient.process(storePath: instance.storePath),
            let bytes = try? FileContents.bytes(of: "/proc/\(process)/cmdline")
        else { return nil }
        let arguments = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        guard let options = try? PushMTA.parseAsRoot(Array(arguments.dropFirst())) as? Run,
            let folder = AbsolutePath.resolved("/proc/\(process)/cwd")
        else { return nil }
        return RunningService(options: options, folder: folder)
    }
}
