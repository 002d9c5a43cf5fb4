// Package output prints for the command. All of its output goes through a [Writer].
//
// What is printed comes from untrusted files: their names, their texts, and the names in them. Terminals obey control
// characters, and reorder what bidirectional formatting characters surround. The log of a CI service is also a list of
// commands for it: GitHub obeys a line that begins with two colons, after white space, and ##[command] anywhere in a
// line; ##vso[command] is Azure's. So none of these reach the output, except for the commands of [Writer.Annotate].
//
// A Writer has no Write method. Nothing can be printed without saying what is data and what is layout:
//
//   - Data are the arguments of [Writer.Printf]. Their control and invisible characters and their line breaks are
//     escaped as in JSON.
//   - A [Block] is data of several lines. Its line breaks stay, with an indentation that shows where it ends.
//   - JSON stays the same data: [Writer.JSON] escapes more than it must.
//
// Commands are recognized in complete lines, whatever parts they are made of, and one of their characters is escaped.
package output
