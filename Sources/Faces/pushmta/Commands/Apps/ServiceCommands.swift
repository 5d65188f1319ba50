internal import ArgumentParser
internal import PushAPI
internal import PushModel

struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service", abstract: "Information services: what deliveries are addressed to.",
        subcommands: [
            command(CreateService.self), command(ListServices.self),
            command(ShowService.self), ServiceStats.self, command(UpdateService.self),
            command(DeleteService.self),
        ])
}

extension CreateService: Commanded {
    static func lines(_ service: ServiceView) -> [String] { ["service \(service.name) created"] }
}

extension ListServices: Commanded {
    static func lines(_ services: [ServiceView]) -> [String] {
        var table = TextTable(["NAME", "LABEL", "FREQUENCY CAP", "APPS"])
        for service in services {
            let cap = service.frequencyCap ?? ""
            table.append([service.name, service.label, cap, service.apps.joined(separator: ", ")])
        }
        return table.lines
    }
}

extension ShowService: Commanded {}

extension UpdateService: Commanded {
    static let form = CommandForm(
        discussion:
            "Its name stays: delivery documents name it. A cap holds for what is prepared from then on.")
    static func lines(_ service: ServiceView) -> [String] { ["service \(service.name) updated"] }
}

extension DeleteService: Commanded {
    static let form = CommandForm(discussion: "Logs of past deliveries stay.")
    static func lines(_ deleted: Answer) -> [String] { ["service \(deleted.name) deleted"] }
}

struct ServiceStats: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: ShowServiceStatistics.operation.summary,
        discussion: """
            By app and state, by device, and by the day of the first registration (in UTC, of those who are there now). \
            A million subscribers take seconds.
            """)

    @OptionGroup var members: MemberArguments<ShowServiceStatistics>
    @OptionGroup var format: StatisticsFormat
    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let statistics = try members.request().carryOut(by: Operations(config))
        try format.print(statistics, csv: statistics.csv, statistics.lines)
    }
}

extension ShowServiceStatistics: Commanded {}
