/// Why the control API does not do what it was asked; the text is for whoever wrote the request.
struct ControlRefusal: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
