internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service", abstract: "Information services: what deliveries are addressed to.",
        subcommands: [
            ServiceCreate.self, ServiceList.self, ServiceShow.self, ServiceStats.self, ServiceUpdate.self,
            ServiceDelete.self,
        ])
}

/// What an operator says of a service when it is created or changed.
struct ServiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("What people call it.", discussion: "Default: its name.", valueName: "text"))
    var label: String?

    @Option(
        help: ArgumentHelp(
            "How many messages each device may be sent within a time, such as \"3 in 7d\"; \"none\": any number.",
            discussion:
                "Deliveries that are prepared from then on leave out devices that had as many. Default: none.",
            valueName: "cap"))
    var atMost: FrequencyCapArgument?

    func complete(_ fields: inout ServiceFields) { fields.frequencyCap = atMost?.cap }

    func change(_ changes: inout Changes<ServiceFields>) {
        changes.set(\.frequencyCap, to: atMost.map { $0.cap })
    }
}

/// A cap, or `none`.
struct FrequencyCapArgument: ExpressibleByArgument {
    let cap: FrequencyCap?

    init?(argument: String) {
        cap = FrequencyCap(argument)
        if cap == nil, argument != "none" { return nil }
    }
}

struct ServiceCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an information service of type mobile app.")

    @Argument(help: "The service's name, unique in the instance.")
    var name: ObjectName

    @OptionGroup var options: ServiceOptions
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let service = try Operations(config).carryOut(
            CreateService(name: name.text, label: options.label, options.complete))
        try StandardOutput.answer(service, json, "service \(service.name) created")
    }
}

struct ServiceList: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the services.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let services = try Operations(config).carryOut(ListServices())
        guard !json.isWanted else { return try StandardOutput.json(services) }
        var table = TextTable(["NAME", "LABEL", "AT MOST", "APPS"])
        for service in services {
            let cap = service.frequencyCap ?? ""
            table.append([service.name, service.label, cap, service.apps.joined(separator: ", ")])
        }
        try StandardOutput.lines(table.lines)
    }
}

struct ServiceShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one service and its apps.")

    @Argument(help: "The service's name.", completion: .serviceNames)
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let service = try Operations(config).carryOut(ShowService(name: name))
        guard !json.isWanted else { return try StandardOutput.json(service) }
        try StandardOutput.lines(
            FieldList(of: service).lines)
    }
}

struct ServiceStats: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Print who subscribes to a service, in figures.",
        discussion: """
            By app and state, by device, and by the day of the first registration (in UTC, of those who are there now). \
            Reads all subscribers: a million take seconds.
            """)

    @Argument(help: "The service's name.", completion: .serviceNames)
    var name: String

    @OptionGroup var format: StatisticsFormat
    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let statistics = try Operations(config).carryOut(ShowServiceStatistics(name: name))
        if format.json { return try StandardOutput.json(statistics) }
        if format.csv { return try StandardOutput.bytes(statistics.csv) }
        try StandardOutput.lines(statistics.lines)
    }
}

struct ServiceUpdate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change what people call a service, or how much its devices are sent.",
        discussion: "Its name stays: delivery documents name it.")

    @Argument(help: "The service's name.", completion: .serviceNames)
    var name: String

    @OptionGroup var options: ServiceOptions
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let service = try Operations(config).carryOut(
            UpdateService(name: name, label: options.label, options.change))
        try StandardOutput.answer(service, json, "service \(service.name) updated")
    }
}

struct ServiceDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a service that has no apps.",
        discussion: "Its templates go with it; logs of past deliveries stay.")

    @Argument(help: "The service's name.", completion: .serviceNames)
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let deleted = try Operations(config).carryOut(DeleteService(name: name))
        try StandardOutput.answer(deleted, json, "service \(deleted.name) deleted")
    }
}
