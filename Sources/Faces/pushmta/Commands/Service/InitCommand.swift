internal import ArgumentParser
internal import Glibc
internal import PushSystem

/// `init`: writes the configuration file of a new instance.
struct InitCommand: ProcessCommand {
    static let localReason = "The command writes a file for a new instance on the machine where it is run."

    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a commented configuration file for a new instance.",
        discussion: """
            Writes serverConf.xml and prints the three commands to run next. With this file, the service \
            accepts connections from this machine only, and keeps its store in the same folder. Edit the \
            file as its comments describe. An existing file is not changed.

            Example: pushmta init push --port 8081
            """)

    @Argument(
        help: ArgumentHelp(
            "The folder for the file. It is created if it does not exist.", valueName: "folder"),
        completion: .directory)
    var folder = "."

    @Option(
        help: ArgumentHelp(
            "The port for the HTTP API and for requests from devices; 0: any free port.",
            valueName: "number"), transform: NumberArgument.within(0...UInt16.max))
    var port: UInt16 = 8080

    func run() throws {
        guard unsafe mkdir(folder, 0o755) == 0 || errno == EEXIST else {
            throw CommandFailure.failed(
                "cannot create the folder \(folder): \(SystemErrorText.of(errno)); name another folder")
        }
        let path = folder == "." ? ConfigurationPlace.here : "\(folder)/\(ConfigurationPlace.here)"
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            guard errno != EEXIST else {
                throw CommandFailure.refused(
                    "\(path) already exists and was not changed: edit it, or name another folder")
            }
            throw CommandFailure.failed(
                "cannot create \(path): \(SystemErrorText.of(errno)); name a folder that you can write to")
        }
        var file = FileWriter(descriptor: descriptor, name: path)
        do {
            try file.append(Self.text(port: port))
            try file.finish()
        } catch {
            // An incomplete configuration file could be mistaken for a complete one.
            unsafe _ = unlink(path)
            throw error
        }
        try StandardOutput.lines(["\(path) was written. Next:"] + nextCommands.map { "  \($0)" })
    }

    /// The next three commands for every new instance, whatever it will send. Each quick start continues with
    /// a service and apps of its own.
    private var nextCommands: [String] {
        [
            folder == "." ? "pushmta config check" : "cd \(folder) && pushmta config check",
            "pushmta start",
            "pushmta status",
        ]
    }

    /// The sample configuration that this program contains, with the given port and with the paths of the
    /// pages that its comments name.
    static func text(port: UInt16) -> String {
        String(decoding: PackageResources.serverConf_xml, as: UTF8.self)
            .replacing(#"httpPort="8080""#, with: #"httpPort="\#(port)""#)
            .replacing("Docs/", with: "\(DocumentFolder.path)/")
    }
}
