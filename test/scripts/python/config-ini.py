import configparser, io, sys
config = configparser.ConfigParser()
config.read_string(sys.stdin.read())
print(config.sections(), config.getint("server", "port"), config["server"].getboolean("tls"), config.get("server", "url"))
